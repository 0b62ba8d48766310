-- Queries on schools whose joins stay as they are.

-- nothing repeats a lesson
SELECT SUM(lesson.hours) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE teacher.wage > 5
SELECT MAX(teacher.wage) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.subject = 'art'
SELECT COUNT(DISTINCT teacher.name) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id
-- which ones, nobody knows
SELECT COUNT(*) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.subject = 'art' AND teacher.wage > 5
SELECT COUNT(*) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE teacher.wage > 5
-- of one school nobody asks how many it is
SELECT COUNT(*) FROM school JOIN teacher ON school.id = teacher.school_id WHERE teacher.school_id = 1
SELECT SUM(teacher.wage), COUNT(*) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id
-- of cells, which are there as often as lessons
SELECT COUNT(teacher.name) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id
-- one teacher, who is met in so many lessons
SELECT COUNT(teacher.id) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE teacher.id = 1
SELECT SUM(CASE WHEN teacher.wage > 5 THEN 1 ELSE 0 END) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id
-- those that have a school
SELECT teacher.name FROM school JOIN teacher ON school.id = teacher.school_id
SELECT school.title FROM school JOIN teacher ON school.id = teacher.school_id WHERE teacher.school_id = 1 AND teacher.wage > 5
SELECT school.town, COUNT(*) FROM school JOIN teacher ON school.id = teacher.school_id WHERE teacher.school_id < 3 GROUP BY school.town
SELECT COUNT(*) FROM teacher JOIN skill ON teacher.id = skill.teacher_id AND teacher.wage = skill.tool_id
SELECT SUM(teacher.wage * lesson.hours) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id
-- nothing says it shorter
SELECT lesson.subject, SUM(teacher.wage) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id GROUP BY lesson.subject
SELECT teacher.name, COUNT(teacher.id) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.hours > 1 GROUP BY teacher.id
SELECT teacher.name, COUNT(*) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id GROUP BY teacher.id ORDER BY COUNT(*) DESC LIMIT 1
SELECT teacher.school_id FROM school JOIN teacher ON school.id = teacher.school_id GROUP BY teacher.school_id ORDER BY COUNT(*) DESC LIMIT 1
SELECT teacher.name FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.hours > 1 GROUP BY teacher.id ORDER BY COUNT(*) LIMIT 1
SELECT SUM(school.budget) FROM school LEFT JOIN teacher ON school.id = teacher.school_id
SELECT SUM(school.budget) FROM school CROSS JOIN teacher WHERE teacher.wage > 5
SELECT school.title FROM school WHERE school.id NOT IN (SELECT teacher.school_id FROM teacher WHERE NOT teacher.school_id IS NULL)
SELECT lesson.subject FROM lesson WHERE lesson.teacher_id NOT IN (SELECT teacher.id FROM teacher)
