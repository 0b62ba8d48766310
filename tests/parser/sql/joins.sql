-- Queries on schools, each above what its joins become, so that each row counts once.


-- an aggregate takes each row of its table once
SELECT SUM(teacher.wage) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.subject = 'art'
= SELECT SUM(teacher.wage) FROM teacher WHERE teacher.id IN (SELECT lesson.teacher_id FROM lesson WHERE lesson.subject = 'art')
SELECT AVG(school.budget) FROM school JOIN teacher ON school.id = teacher.school_id
= SELECT AVG(school.budget) FROM school WHERE school.id IN (SELECT teacher.school_id FROM teacher)
SELECT SUM(school.budget) FROM school JOIN teacher ON school.id = teacher.school_id JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.hours > 2 AND teacher.wage < 9 AND school.town = 'Ulm'
= SELECT SUM(school.budget) FROM school WHERE school.town = 'Ulm' AND school.id IN (SELECT teacher.school_id FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.hours > 2 AND teacher.wage < 9)
SELECT SUM(teacher.wage) FROM school JOIN teacher ON school.id = teacher.school_id JOIN room ON school.id = room.school_id WHERE room.floor > 0
= SELECT SUM(teacher.wage) FROM teacher JOIN school ON teacher.school_id = school.id WHERE school.id IN (SELECT room.school_id FROM room WHERE room.floor > 0)
SELECT school.town, SUM(school.budget) FROM school JOIN teacher ON school.id = teacher.school_id GROUP BY school.town
= SELECT school.town, SUM(school.budget) FROM school WHERE school.id IN (SELECT teacher.school_id FROM teacher) GROUP BY school.town
SELECT SUM(school.budget) FROM school JOIN teacher ON school.id = teacher.school_id WHERE teacher.wage < school.budget OR teacher.wage > 10
= SELECT SUM(school.budget) FROM school WHERE EXISTS (SELECT * FROM teacher WHERE school.id = teacher.school_id AND (teacher.wage < school.budget OR teacher.wage > 10))

-- its key is counted where groups repeat it
SELECT lesson.subject, COUNT(teacher.id) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id GROUP BY lesson.subject
= SELECT lesson.subject, COUNT(DISTINCT teacher.id) FROM lesson JOIN teacher ON lesson.teacher_id = teacher.id GROUP BY lesson.subject
SELECT school.title, COUNT(teacher.id), COUNT(room.id) FROM school JOIN teacher ON school.id = teacher.school_id JOIN room ON school.id = room.school_id GROUP BY school.id
= SELECT school.title, COUNT(DISTINCT teacher.id), COUNT(DISTINCT room.id) FROM school JOIN teacher ON school.id = teacher.school_id JOIN room ON school.id = room.school_id GROUP BY school.id

-- what is joined for nothing else is what COUNT(*) counts
SELECT COUNT(*) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.subject = 'art'
= SELECT COUNT(*) FROM teacher WHERE teacher.id IN (SELECT lesson.teacher_id FROM lesson WHERE lesson.subject = 'art')
SELECT COUNT(*) FROM teacher JOIN skill ON teacher.id = skill.teacher_id JOIN tool ON skill.tool_id = tool.id WHERE tool.price > 1
= SELECT COUNT(*) FROM teacher WHERE teacher.id IN (SELECT skill.teacher_id FROM skill JOIN tool ON skill.tool_id = tool.id WHERE tool.price > 1)

-- NOT IN looks at no NULL
SELECT school.title FROM school WHERE school.id NOT IN (SELECT teacher.school_id FROM teacher)
= SELECT school.title FROM school WHERE school.id NOT IN (SELECT teacher.school_id FROM teacher WHERE teacher.school_id IS NOT NULL)
SELECT COUNT(*) FROM teacher WHERE teacher.id NOT IN (SELECT lesson.teacher_id FROM lesson WHERE lesson.hours > 3 OR lesson.subject = 'art')
= SELECT COUNT(*) FROM teacher WHERE teacher.id NOT IN (SELECT lesson.teacher_id FROM lesson WHERE (lesson.hours > 3 OR lesson.subject = 'art') AND lesson.teacher_id IS NOT NULL)
