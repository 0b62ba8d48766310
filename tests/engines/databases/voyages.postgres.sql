-- A column of each kind that a profile tells apart.
CREATE TYPE grade AS ENUM ('low', 'high');
CREATE TABLE "Crew" ("crewId" SERIAL PRIMARY KEY, "fullName" TEXT);
INSERT INTO "Crew" ("fullName") VALUES ('Ada Low'), ('Bo Ek'), ('Cy Day');
CREATE TABLE voyage (id BIGINT PRIMARY KEY, "crewId" INTEGER REFERENCES "Crew", left_on DATE, back_at TIMESTAMPTZ,
    watch TIME, insured BOOLEAN, toll NUMERIC(8, 2), fuel TEXT, rated grade, log JSON, chart BYTEA, tags TEXT[],
    key UUID, ends TEXT);
INSERT INTO voyage VALUES
    (1, 1, '2021-03-04', '2021-03-09 10:00+00', '04:00', TRUE, 1200.50, '1,200 l', 'low', '[1]', '\x00', '{a}',
     '11111111-1111-1111-1111-111111111111', '13/02/2022'),
    (2, 1, '2022-12-31', NULL, '08:00', FALSE, 900, '90 l', 'high', NULL, NULL, NULL, NULL, '01/03/2022');
