-- Views with the keys of what they show, and a table that a narrow reader may only write.
CREATE TABLE pump (id INTEGER PRIMARY KEY, name VARCHAR(20) UNIQUE, secret INTEGER);
INSERT INTO pump VALUES (1, 'Gusher', 7);
CREATE TABLE run (no INTEGER PRIMARY KEY, pump INTEGER, litres BIGINT, FOREIGN KEY (pump) REFERENCES pump (id));
CREATE TABLE hidden (a INTEGER);
CREATE VIEW named AS SELECT id AS pump_id, name FROM pump WHERE id > 0;
CREATE VIEW total AS SELECT pump, COUNT(*) AS runs, SUM(litres) AS litres FROM run GROUP BY pump;
