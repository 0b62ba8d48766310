-- Queries on a table with two keys into itself, each above its normal form, and that above its short form.

-- each key has its own use of the table, wherever it stands
SELECT i.name FROM pilot p JOIN pilot i ON i.pilot_id = p.instructor_id WHERE p.hours = 1
= SELECT pilot_3.name FROM pilot JOIN pilot AS pilot_3 ON pilot.instructor_id = pilot_3.pilot_id WHERE pilot.hours = 1
~ SELECT pilot_3.name FROM pilot JOIN pilot_3 WHERE pilot.hours = 1
SELECT p.name FROM pilot w, pilot p WHERE w.pilot_id = p.wingman_id AND w.hours = 1
= SELECT pilot.name FROM pilot JOIN pilot AS pilot_2 ON pilot.wingman_id = pilot_2.pilot_id WHERE pilot_2.hours = 1
~ SELECT pilot.name FROM pilot JOIN pilot_2 WHERE pilot_2.hours = 1
SELECT p.name, i.name FROM pilot p LEFT JOIN pilot i ON p.instructor_id = i.pilot_id
= SELECT pilot.name, pilot_3.name FROM pilot LEFT JOIN pilot AS pilot_3 ON pilot.instructor_id = pilot_3.pilot_id
~ SELECT pilot.name, pilot_3.name FROM pilot LEFT JOIN pilot_3
SELECT p.name, w.name, i.name FROM pilot i JOIN pilot p ON i.pilot_id = p.instructor_id JOIN pilot w ON p.wingman_id = w.pilot_id
= SELECT pilot.name, pilot_2.name, pilot_3.name FROM pilot JOIN pilot AS pilot_2 ON pilot.wingman_id = pilot_2.pilot_id JOIN pilot AS pilot_3 ON pilot.instructor_id = pilot_3.pilot_id
~ SELECT pilot.name, pilot_2.name, pilot_3.name FROM pilot JOIN pilot_2 JOIN pilot_3
SELECT i.name, w.name FROM pilot p JOIN pilot w ON p.wingman_id = w.pilot_id JOIN pilot i ON p.instructor_id = i.pilot_id
= SELECT pilot_3.name, pilot_2.name FROM pilot JOIN pilot AS pilot_2 ON pilot.wingman_id = pilot_2.pilot_id JOIN pilot AS pilot_3 ON pilot.instructor_id = pilot_3.pilot_id
~ SELECT pilot_3.name, pilot_2.name FROM pilot JOIN pilot_2 JOIN pilot_3
SELECT name FROM pilot p WHERE hours < (SELECT max(i.hours) FROM pilot i WHERE i.pilot_id = p.instructor_id)
= SELECT pilot.name FROM pilot WHERE pilot.hours < (SELECT MAX(pilot_3.hours) FROM pilot AS pilot_3 WHERE pilot_3.pilot_id = pilot.instructor_id)
~ SELECT pilot.name FROM pilot WHERE pilot.hours < (SELECT MAX(pilot_3.hours) FROM pilot_3 WHERE pilot_3.pilot_id = pilot.instructor_id)

-- the instructor of an instructor is a second instructor, the wingman of one a first wingman
SELECT p.name, k.name FROM pilot p JOIN pilot i ON p.instructor_id = i.pilot_id JOIN pilot k ON i.instructor_id = k.pilot_id
= SELECT pilot.name, pilot_5.name FROM pilot JOIN pilot AS pilot_3 ON pilot.instructor_id = pilot_3.pilot_id JOIN pilot AS pilot_5 ON pilot_3.instructor_id = pilot_5.pilot_id
~ SELECT pilot.name, pilot_5.name FROM pilot JOIN pilot_3 JOIN pilot_5
SELECT p.name, w.name FROM pilot p JOIN pilot i ON p.instructor_id = i.pilot_id JOIN pilot w ON i.wingman_id = w.pilot_id
= SELECT pilot.name, pilot_2.name FROM pilot JOIN pilot AS pilot_3 ON pilot.instructor_id = pilot_3.pilot_id JOIN pilot AS pilot_2 ON pilot_3.wingman_id = pilot_2.pilot_id
~ SELECT pilot.name, pilot_2.name FROM pilot JOIN pilot_3 JOIN pilot_2 ON pilot_3.wingman_id = pilot_2.pilot_id

-- one who is both is called by the first key
SELECT p.name FROM pilot p JOIN pilot b ON p.instructor_id = b.pilot_id AND p.wingman_id = b.pilot_id
= SELECT pilot.name FROM pilot JOIN pilot AS pilot_2 ON pilot.wingman_id = pilot_2.pilot_id AND pilot.instructor_id = pilot_2.pilot_id
~ SELECT pilot.name FROM pilot JOIN pilot_2 ON pilot.wingman_id = pilot_2.pilot_id AND pilot.instructor_id = pilot_2.pilot_id

-- whom no key refers to takes what is left, in order
SELECT a.name FROM pilot a JOIN pilot b ON a.hours = b.hours JOIN pilot w ON b.wingman_id = w.pilot_id
= SELECT pilot.name FROM pilot JOIN pilot AS pilot_3 ON pilot.hours = pilot_3.hours JOIN pilot AS pilot_2 ON pilot_3.wingman_id = pilot_2.pilot_id
~ SELECT pilot.name FROM pilot JOIN pilot_3 ON pilot.hours = pilot_3.hours JOIN pilot_2 ON pilot_3.wingman_id = pilot_2.pilot_id
SELECT i.name, count(p.name) FROM pilot i LEFT JOIN pilot p ON p.instructor_id = i.pilot_id GROUP BY i.pilot_id
= SELECT pilot.name, COUNT(pilot_2.name) FROM pilot LEFT JOIN pilot AS pilot_2 ON pilot.pilot_id = pilot_2.instructor_id GROUP BY pilot.pilot_id
~ SELECT pilot.name, COUNT(pilot_2.name) FROM pilot LEFT JOIN pilot_2 ON pilot.pilot_id = pilot_2.instructor_id GROUP BY pilot.pilot_id
