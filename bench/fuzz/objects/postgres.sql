CREATE EXTENSION IF NOT EXISTS citext;
CREATE TYPE phase AS ENUM ('new', 'open', 'it''s done', '完成');
CREATE TYPE size AS ENUM ('new', 'big', 'month');
CREATE TYPE pair AS (a integer, b text);
CREATE TYPE "text" AS (a integer);
CREATE DOMAIN shift AS phase;
CREATE DOMAIN note AS varchar(40) CHECK (VALUE <> 'never');
CREATE DOMAIN rank AS integer;
CREATE TABLE station (
    id integer PRIMARY KEY, name varchar(30) UNIQUE, state phase, former phase, bulk size, turn shift, said note, grade rank,
    tags phase[], sizes integer[][], pairs pair, odd public.text, letter "char", label name, code citext, spot point,
    address inet, mask cidr, flags bit varying(8), price money, doc json, more jsonb, key uuid, body bytea, lasts interval,
    opened date, seen timestamptz, at time, zoned timetz, words tsvector, span int4range, spans int4multirange, own oid
);
INSERT INTO station (id, name, state, former, bulk, turn, said, grade, tags, letter, label, code, price, lasts, opened, seen)
VALUES
    (1, 'a', 'new', 'open', 'big', 'new', 'x', 3, '{new,open}', 'x', 'l', 'Ab', 1.5, '1 day', '2024-02-29', '2024-02-29 23:59'),
    (2, 'it''s', 'it''s done', NULL, 'new', NULL, '', 999999999, '{}', NULL, '', 'aB', -2, '-99 years', '1000-01-01', NULL),
    (3, NULL, NULL, '完成', 'month', '完成', NULL, -999999999, NULL, 'z', NULL, NULL, NULL, NULL, '9999-12-31', '1999-12-31');
CREATE TABLE reading (
    station integer REFERENCES station (id), no smallint, amount bigint, exact numeric, cents numeric(10, 2), raw double precision,
    coarse real, said text, fine boolean, at timestamp, PRIMARY KEY (station, no)
);
INSERT INTO reading VALUES
    (1, 1, 99999999999999999, 9999999999999999999999999999999999999999, 99999999.99, 9e29, 9e29, 'a', true, '2024-01-31 12:00'),
    (1, 2, -99999999999999999, 0.0000000000000000000000000000000000000001, -0.01, 1e-30, 1e-30, '50%', false, '1000-01-01 00:00'),
    (2, 32767, 0, 0, 0, 0, 0, '', NULL, '9999-12-31 23:59:59'), (2, 1, 1, 1.5, 2.25, -1.5, 7, '2024-02-29', true, NULL),
    (3, -32767, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE VIEW named AS SELECT id AS station_id, name, state, opened, grade FROM station WHERE id > 0;
CREATE VIEW nested AS SELECT station_id, name AS called, state FROM named;
CREATE VIEW total AS
    SELECT r.station, s.state, count(*) AS n, sum(r.amount) AS amount, sum(r.no) AS nos, sum(r.cents) AS cents, avg(r.raw) AS raw,
        sum(r.exact) AS exact, max(r.said) AS said, count(DISTINCT r.said) AS kinds, avg(r.no) AS mean, max(r.coarse) AS coarse
    FROM reading r JOIN station s ON s.id = r.station GROUP BY r.station, s.state;
CREATE VIEW reckoned AS
    SELECT station, no, no * 30000 AS wide, amount * 90 AS huge, exact * exact AS square, raw * raw AS float_square, raw / 3 AS third,
        cents / 7 AS share, no + 1 AS next, amount - 1 AS before, said || said AS twice, repeat(said, 50) AS long, at - '2000-01-01' AS since,
        at - interval '1 day' AS yesterday, date_trunc('month', at) AS month, extract(year FROM at) AS year, fine AND no > 1 AS both,
        no::text AS text_no, NULL AS nothing, 'lit' AS lit, 7 AS seven, CASE WHEN fine THEN no ELSE 0 END AS chosen,
        nullif(no, 1) AS but_one, coalesce(cents, 0) AS cents_or, 1 / nullif(exact, 0) AS inverse, coarse * 2 AS double_coarse,
        ARRAY[no, 1] AS several, to_char(at, 'YYYY-MM') AS written, round(raw) AS rounded, rank() OVER (ORDER BY raw) AS place
    FROM reading;
CREATE VIEW both_sides AS SELECT id, name FROM station UNION ALL SELECT no::integer, said FROM reading;
CREATE VIEW crossed AS SELECT a.id, b.id AS other, a.state, a.bulk FROM station a CROSS JOIN station b WHERE a.id <> b.id;
CREATE MATERIALIZED VIEW kept AS SELECT s.id, s.state, s.bulk, count(r.no) AS readings FROM station s LEFT JOIN reading r ON r.station = s.id GROUP BY s.id;
CREATE UNIQUE INDEX ON kept (id);
CREATE MATERIALIZED VIEW never_filled AS SELECT 1 AS one WITH NO DATA;
CREATE TABLE event (id integer, day date NOT NULL, what text, state phase) PARTITION BY RANGE (day);
CREATE TABLE event_2023 PARTITION OF event FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
CREATE TABLE event_rest PARTITION OF event DEFAULT;
INSERT INTO event VALUES (1, '2023-05-05', 'a', 'new'), (2, '2024-05-05', NULL, NULL);
CREATE TABLE place (id integer PRIMARY KEY, name text);
CREATE TABLE city (mayor text, state phase) INHERITS (place);
CREATE TABLE old_place () INHERITS (place);
INSERT INTO city VALUES (1, 'x', 'y', 'new');
-- names in mixed case, names that differ in case alone, several schemas, a table called as one elsewhere
CREATE SCHEMA "Sales";
CREATE SCHEMA "a.b";
CREATE TABLE "Sales"."orderLine" ("lineId" integer PRIMARY KEY, "LINEID" text, "Total" numeric(8, 2), day date, "Day" timestamp);
CREATE TABLE "Sales".station ("Id" integer PRIMARY KEY, id integer, "Name" text, state phase);
CREATE TABLE "a.b"."Order" ("größe" real, "Größe" double precision, "order" integer REFERENCES "Sales".station, made date);
INSERT INTO "Sales"."orderLine" VALUES (1, 'a', 0, '2024-02-29', '2024-02-29 23:59:59'), (2, NULL, -1.5, NULL, NULL);
INSERT INTO "Sales".station VALUES (1, 0, '', 'new'), (2, NULL, 'it''s', NULL);
INSERT INTO "a.b"."Order" VALUES (1.5, 1e-30, 1, '2000-01-01'), (0, NULL, NULL, NULL);
