-- Schools with teachers, lessons and rooms: a small database whose joins repeat rows.
CREATE TABLE school (id INT PRIMARY KEY, title TEXT, town TEXT, budget INT);
CREATE TABLE teacher (id INT PRIMARY KEY, name TEXT, school_id INT REFERENCES school (id), wage INT);
CREATE TABLE lesson (id INT PRIMARY KEY, teacher_id INT REFERENCES teacher (id), subject TEXT, hours INT);
CREATE TABLE room (id INT PRIMARY KEY, school_id INT REFERENCES school (id), floor INT);
CREATE TABLE tool (id INT PRIMARY KEY, label TEXT, price INT);
CREATE TABLE skill (
    teacher_id INT REFERENCES teacher (id), tool_id INT REFERENCES tool (id), PRIMARY KEY (teacher_id, tool_id)
);
INSERT INTO school VALUES (1, 'Elm', 'Ulm', 10), (2, 'Oak', 'Ulm', 20), (3, 'Fir', 'Gap', 40);
INSERT INTO teacher VALUES (1, 'Ada', 1, 5), (2, 'Bo', 1, 7), (3, 'Cy', 2, 9), (4, 'Di', NULL, 11);
INSERT INTO lesson VALUES (1, 1, 'art', 2), (2, 1, 'art', 3), (3, 1, 'maths', 4), (4, 3, 'art', 5), (5, NULL, 'maths', 6);
INSERT INTO room VALUES (1, 1, 0), (2, 1, 1), (3, 1, 2), (4, 2, 0);
INSERT INTO tool VALUES (1, 'lathe', 3), (2, 'loom', 4);
INSERT INTO skill VALUES (1, 1), (1, 2), (3, 1);
