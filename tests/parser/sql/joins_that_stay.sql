-- Queries on schools whose joins stay as they are.

-- nothing repeats a lesson
SELECT SUM(lesson.hours) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE teacher.wage > 5
SELECT MAX(teacher.wage) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.subject = 'art'
-- a count is of what the network says
SELECT COUNT(*) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE teacher.wage > 5
SELECT COUNT(teacher.id) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE teacher.id = 1
SELECT SUM(teacher.wage), COUNT(*) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id
SELECT SUM(CASE WHEN teacher.wage > 5 THEN 1 ELSE 0 END) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id
-- two tables are added up, or shown
SELECT SUM(teacher.wage * lesson.hours) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id
SELECT lesson.subject, SUM(teacher.wage) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id GROUP BY lesson.subject
SELECT SUM(school.budget) FROM school LEFT JOIN teacher ON school.id = teacher.school_id
SELECT SUM(DISTINCT school.budget) FROM school JOIN teacher ON school.id = teacher.school_id
SELECT school.title FROM school WHERE school.id NOT IN (SELECT teacher.school_id FROM teacher WHERE NOT teacher.school_id IS NULL)
SELECT lesson.subject FROM lesson WHERE lesson.teacher_id NOT IN (SELECT teacher.id FROM teacher)
