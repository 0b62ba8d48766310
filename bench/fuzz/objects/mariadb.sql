CREATE TABLE station (
    id integer PRIMARY KEY, name varchar(30) UNIQUE, state ENUM('new', 'open', 'it''s done'), kinds SET('x', 'y'), opened date, grade integer unsigned,
    made integer GENERATED ALWAYS AS (id * 2) VIRTUAL, doc json, spot point, code uuid, address inet6
);
INSERT INTO station (id, name, state, kinds, opened, grade) VALUES
    (1, 'a', 'new', 'x,y', '2024-02-29', 3), (2, 'it''s', 'it''s done', '', '1000-01-01', 4294967295), (3, NULL, NULL, NULL, '9999-12-31', NULL);
CREATE TABLE reading (
    station integer, no smallint, amount bigint, exact decimal(38, 10), cents decimal(10, 2), raw double, coarse float, said varchar(300),
    fine boolean, at datetime, big bigint unsigned, PRIMARY KEY (station, no), FOREIGN KEY (station) REFERENCES station (id)
);
INSERT INTO reading VALUES
    (1, 1, 99999999999999999, 9999999999999999999999999999.9999999999, 99999999.99, 9e29, 9e29, 'a', true, '2024-01-31 12:00', 18446744073709551615),
    (1, 2, -99999999999999999, 0.0000000001, -0.01, 1e-30, 1e-30, '50%', false, '1000-01-01 00:00', 0),
    (2, 32767, 0, 0, 0, 0, 0, '', NULL, '9999-12-31 23:59:59', 1), (2, 1, 1, 1.5, 2.25, -1.5, 7, '2024-02-29', true, NULL, NULL),
    (3, -32767, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 7);
CREATE VIEW named AS SELECT id AS station_id, name, state, kinds, opened, grade, made FROM station WHERE id > 0;
CREATE VIEW nested AS SELECT station_id, name AS called, state FROM named;
CREATE VIEW total AS
    SELECT r.station, s.state, count(*) AS n, sum(r.amount) AS amount, sum(r.no) AS nos, sum(r.cents) AS cents, avg(r.raw) AS raw,
        sum(r.exact) AS exact, max(r.said) AS said, count(DISTINCT r.said) AS kinds, avg(r.no) AS mean, max(r.coarse) AS coarse, max(r.big) AS big
    FROM reading r JOIN station s ON s.id = r.station GROUP BY r.station, s.state;
CREATE VIEW reckoned AS
    SELECT station, no, no * 30000 AS wide, amount * 90 AS huge, exact * exact AS square, raw * raw AS float_square, raw / 3 AS third, cents / 7 AS share,
        no + 1 AS next, amount - 1 AS previous, concat(said, said) AS twice, date_format(at, '%Y-%m') AS month, year(at) AS year, fine AND no > 1 AS both_true,
        NULL AS nothing, 'lit' AS lit, 7 AS seven, CASE WHEN fine THEN no ELSE 0 END AS chosen, nullif(no, 1) AS but_one, coalesce(cents, 0) AS cents_or,
        1 / nullif(exact, 0) AS inverse, if(fine, said, no) AS mixed, cast(no AS char) AS text_no, big + 0 AS big_again
    FROM reading;
CREATE VIEW both_sides AS SELECT id, name FROM station UNION ALL SELECT no, said FROM reading;
CREATE VIEW crossed AS SELECT a.id, b.id AS other, a.state FROM station a CROSS JOIN station b WHERE a.id <> b.id;
CREATE ALGORITHM = MERGE VIEW plain AS SELECT no, said, 1 AS one, raw + 1 AS more FROM reading;
CREATE TABLE gone (a integer);
CREATE VIEW stale AS SELECT a FROM gone;
DROP TABLE gone;
