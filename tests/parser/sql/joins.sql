-- Queries on schools, each above what its joins become, so that each row counts once.


-- a sum or mean takes each row of its table once
SELECT SUM(teacher.wage) FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.subject = 'art'
= SELECT SUM(teacher.wage) FROM teacher WHERE teacher.id IN (SELECT teacher.id FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.subject = 'art')
SELECT AVG(school.budget) FROM school JOIN teacher ON school.id = teacher.school_id
= SELECT AVG(school.budget) FROM school WHERE school.id IN (SELECT school.id FROM school JOIN teacher ON school.id = teacher.school_id)
SELECT SUM(teacher.wage), MAX(teacher.name) FROM school JOIN teacher ON school.id = teacher.school_id JOIN room ON school.id = room.school_id WHERE room.floor > 0
= SELECT SUM(teacher.wage), MAX(teacher.name) FROM teacher WHERE teacher.id IN (SELECT teacher.id FROM teacher JOIN school ON teacher.school_id = school.id JOIN room ON school.id = room.school_id WHERE room.floor > 0)
SELECT school.town, SUM(school.budget) FROM school JOIN teacher ON school.id = teacher.school_id GROUP BY school.town
= SELECT school.town, SUM(school.budget) FROM school WHERE school.id IN (SELECT school.id FROM school JOIN teacher ON school.id = teacher.school_id) GROUP BY school.town
SELECT SUM(school.budget) FROM school JOIN teacher ON school.id = teacher.school_id WHERE teacher.wage < school.budget OR teacher.wage > 10
= SELECT SUM(school.budget) FROM school WHERE school.id IN (SELECT school.id FROM school JOIN teacher ON school.id = teacher.school_id WHERE teacher.wage < school.budget OR teacher.wage > 10)

-- NOT IN looks at no NULL
SELECT school.title FROM school WHERE school.id NOT IN (SELECT teacher.school_id FROM teacher)
= SELECT school.title FROM school WHERE school.id NOT IN (SELECT teacher.school_id FROM teacher WHERE teacher.school_id IS NOT NULL)
SELECT COUNT(*) FROM teacher WHERE teacher.id NOT IN (SELECT lesson.teacher_id FROM lesson WHERE lesson.hours > 3 OR lesson.subject = 'art')
= SELECT COUNT(*) FROM teacher WHERE teacher.id NOT IN (SELECT lesson.teacher_id FROM lesson WHERE (lesson.hours > 3 OR lesson.subject = 'art') AND lesson.teacher_id IS NOT NULL)
