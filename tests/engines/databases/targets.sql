-- What somebody would like to change, through a session that only reads.
CREATE TABLE t (a INTEGER PRIMARY KEY, b VARCHAR(20));
INSERT INTO t VALUES (1, 'x'), (2, 'y');
CREATE SEQUENCE s;
CREATE TABLE people (name VARCHAR(9), age INTEGER);
INSERT INTO people VALUES ('Ada', 36);
