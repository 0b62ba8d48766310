CREATE TABLE core_member (
    id serial PRIMARY KEY, password varchar(128) NOT NULL, last_login timestamptz, is_superuser boolean NOT NULL, username varchar(150) NOT NULL UNIQUE,
    email varchar(254) NOT NULL, is_staff boolean NOT NULL, date_joined timestamptz NOT NULL, valid_until date, born date, settings jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO core_member VALUES
    (1, 'x', 'infinity', true, 'anna', 'a@x.org', true, '2024-02-29 23:59:59.999', 'infinity', '0044-03-15 BC', '{"theme": "dark"}'),
    (2, 'y', '-infinity', false, 'bert', '', false, '20000-01-01 00:00', '-infinity', '1990-01-31', '[]'),
    (3, 'z', NULL, false, 'cleo', 'c@x.org', false, '4000-06-01 00:00 BC', NULL, '4700-01-01 BC', '{"n": 1e999}'),
    (4, '', '294200-01-01', false, 'dora', 'd@x.org', true, '1970-01-01', '20000-01-01', NULL, 'null');
CREATE TABLE core_content_kind (id serial PRIMARY KEY, app_label varchar(100) NOT NULL, model varchar(100) NOT NULL, UNIQUE (app_label, model));
INSERT INTO core_content_kind VALUES (1, 'core', 'member'), (2, 'blog', 'entry');
CREATE TABLE core_member_kinds (
    id bigserial PRIMARY KEY, member_id integer NOT NULL REFERENCES core_member (id), kind_id integer NOT NULL REFERENCES core_content_kind (id),
    UNIQUE (member_id, kind_id)
);
INSERT INTO core_member_kinds VALUES (1, 1, 1), (2, 1, 2), (3, 2, 2);
CREATE TABLE core_log_entry (
    id serial PRIMARY KEY, action_time timestamptz NOT NULL, object_id text, action_flag smallint NOT NULL CHECK (action_flag >= 0), change_message text NOT NULL,
    kind_id integer REFERENCES core_content_kind (id), member_id integer NOT NULL REFERENCES core_member (id), took interval
);
INSERT INTO core_log_entry VALUES
    (1, 'infinity', '7', 1, 'added', 1, 1, '1 day'), (2, '2024-03-01', NULL, 2, '', NULL, 2, '-3 hours'), (3, '0001-01-01 BC', 'x', 0, 'it''s', 2, 1, NULL);
CREATE TYPE berth_state AS ENUM ('open', 'it''s shut', 'month');
CREATE TABLE berths (
    id bigserial PRIMARY KEY, mooring_type varchar, mooring_id bigint, state berth_state NOT NULL DEFAULT 'open', rate numeric(8, 2), closes_at time,
    created_at timestamp(6) NOT NULL, updated_at timestamp(6) NOT NULL, lock_version integer DEFAULT 0
);
INSERT INTO berths VALUES
    (1, 'Vessel', 1, 'open', 12.50, '24:00:00', '2024-01-31', 'infinity', 0), (2, 'Raft', 2, 'it''s shut', NULL, '00:00', '-infinity', '20000-02-28 12:00', NULL),
    (3, NULL, NULL, 'month', 0, NULL, '2023-12-31 23:59:59.5', '2024-02-29', 7);
CREATE TABLE vessels (id bigserial PRIMARY KEY, berth_id bigint REFERENCES berths (id), name varchar, laid_up_on date, due date, tags text[] DEFAULT '{}', draught double precision);
INSERT INTO vessels VALUES (1, 1, 'Gull', '2024-02-29', 'infinity', '{a,b}', 2.5), (2, 1, 'Tern', '20000-12-31', '2023-01-01', '{}', -1e29), (3, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE schema_stamps (version varchar PRIMARY KEY);
INSERT INTO schema_stamps VALUES ('20240229120000');
CREATE TABLE nothing_yet ();
CREATE TYPE "SeatStatus" AS ENUM ('FREE', 'TAKEN');
CREATE TABLE "Venue" ("id" text PRIMARY KEY, "openFrom" date NOT NULL, "openUntil" date NOT NULL DEFAULT 'infinity', "createdAt" timestamp(3) NOT NULL, "isActive" boolean NOT NULL);
INSERT INTO "Venue" VALUES ('ck1', '2020-01-01', 'infinity', '2024-01-01', true), ('ck2', '-infinity', '5000-01-01', 'infinity', false), ('ck3', '2024-02-29', '0001-12-31 BC', '2024-12-31', true);
CREATE TABLE "SeatBooking" (
    "id" text PRIMARY KEY, "venueId" text NOT NULL REFERENCES "Venue" ("id"), "status" "SeatStatus" NOT NULL, "price" decimal(65, 30) NOT NULL, "seats" integer[],
    "meta" jsonb, "paidAt" timestamp(3), "odd ""name%" integer, "totalCents" bigint GENERATED ALWAYS AS (100 * 7) STORED
);
INSERT INTO "SeatBooking" VALUES ('b1', 'ck1', 'FREE', 9.99, '{1,2}', '{}', 'infinity', 3), ('b2', 'ck2', 'TAKEN', 0, NULL, NULL, '2024-01-01', NULL), ('b3', 'ck1', 'TAKEN', 99999.5, '{}', '[1]', NULL, 0);
CREATE TABLE depot_product_unit (unit_id serial PRIMARY KEY, attribute_set_id smallint NOT NULL DEFAULT 0, type_id varchar(32) NOT NULL DEFAULT 'simple', sku varchar(64), created_at timestamp NOT NULL);
INSERT INTO depot_product_unit VALUES (1, 4, 'simple', 'S-1', '2024-01-01'), (2, 4, 'bundle', NULL, '-infinity'), (3, 9, 'simple', '', '2023-05-05');
CREATE TABLE depot_product_unit_datetime (
    value_id serial PRIMARY KEY, attribute_id smallint NOT NULL, store_id smallint NOT NULL, value timestamp, unit_id integer NOT NULL REFERENCES depot_product_unit (unit_id),
    UNIQUE (unit_id, attribute_id, store_id)
);
INSERT INTO depot_product_unit_datetime VALUES (1, 77, 0, 'infinity', 1), (2, 78, 0, '2024-02-29 12:00', 1), (3, 77, 1, NULL, 2);
CREATE TABLE depot_product_unit_decimal (value_id serial PRIMARY KEY, attribute_id smallint NOT NULL, store_id smallint NOT NULL, value numeric(20, 6), unit_id integer NOT NULL REFERENCES depot_product_unit (unit_id));
INSERT INTO depot_product_unit_decimal VALUES (1, 77, 0, 19.99, 1), (2, 77, 0, -99999999999999.999999, 2), (3, 78, 1, NULL, 3);
CREATE VIEW open_venue AS SELECT "id", "openFrom", "openUntil", coalesce("openUntil", 'infinity') AS "until", "createdAt" AS made FROM "Venue" WHERE "isActive";
CREATE VIEW vessel_due AS SELECT v.id, v.name, v.due, coalesce(v.due, 'infinity') AS due_or_never, b.rate, date_trunc('month', b.created_at) AS month FROM vessels v LEFT JOIN berths b ON b.id = v.berth_id;
CREATE VIEW rate_each AS SELECT id, state, 100 / rate AS each FROM berths;
CREATE VIEW versions AS SELECT version, cast(version AS integer) AS number FROM schema_stamps;
CREATE VIEW never AS SELECT id, 1 / 0 AS share FROM vessels;
CREATE MATERIALIZED VIEW unfilled AS SELECT id FROM vessels WITH NO DATA;
