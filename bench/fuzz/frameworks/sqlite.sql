CREATE TABLE "core_member" (
    "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "password" varchar(128) NOT NULL, "last_login" datetime NULL, "is_superuser" bool NOT NULL, "username" varchar(150) NOT NULL UNIQUE,
    "email" varchar(254) NOT NULL, "is_staff" bool NOT NULL, "date_joined" datetime NOT NULL, "valid_until" date, "born" date, "settings" text NOT NULL CHECK (json_valid("settings") OR "settings" IS NULL)
);
INSERT INTO core_member VALUES
    (1, 'x', 'infinity', 1, 'anna', 'a@x.org', 1, '2024-02-29 23:59:59.999', 'infinity', '-0044-03-15', '{"theme": "dark"}'), (2, CAST(x'ff41fe' AS TEXT), NULL, 0, 'bert', '', 0, '20000-01-01', '9999-12-31', 'unknown', '[]'),
    (3, x'00ff', NULL, 0, 'cleo', 'c@x.org', 0, '0000-00-00', NULL, NULL, '{}');
CREATE TABLE "core_content_kind" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app_label" varchar(100) NOT NULL, "model" varchar(100) NOT NULL);
INSERT INTO core_content_kind VALUES (1, 'core', 'member'), (2, 'blog', 'entry');
CREATE UNIQUE INDEX "kind_label" ON "core_content_kind" ("app_label", "model");
CREATE TABLE "core_log_entry" (
    "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "action_time" datetime NOT NULL, "object_id" text, "action_flag" smallint unsigned NOT NULL CHECK ("action_flag" >= 0), "change_message" text NOT NULL,
    "kind_id" integer REFERENCES "core_content_kind" ("id") DEFERRABLE INITIALLY DEFERRED, "member_id" integer NOT NULL REFERENCES "core_member" ("id"), "took" bigint
);
INSERT INTO core_log_entry VALUES (1, '24:00:00', '7', 1, 'added', 1, 1, 86400000000), (2, '2024-03-01', NULL, 2, '', NULL, 2, -1), (3, '', 'x', 0, 'it''s', 2, 1, NULL);
CREATE TABLE "berths" (
    "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "mooring_type" varchar, "mooring_id" bigint, "state" integer DEFAULT 0 NOT NULL, "rate" decimal(8, 2), "closes_at" time,
    "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL, "lock_version" integer DEFAULT 0, "odd ""name%" integer
);
INSERT INTO berths VALUES (1, 'Vessel', 1, 0, 12.5, '24:00:00', '2024-01-31', 'infinity', 0, 1), (2, 'Raft', 2, 1, NULL, '', '0', '20000-02-28 12:00', NULL, NULL), (3, NULL, NULL, 2, 0, NULL, '2023-12-31', 1709164800, 7, 'x');
CREATE TABLE "vessels" ("id" integer PRIMARY KEY, "berth_id" integer, "name" varchar, "laid_up_on" date, "due" date, "draught" float, FOREIGN KEY ("berth_id") REFERENCES "berths" ("id"));
INSERT INTO vessels VALUES (1, 1, 'Gull', '2024-02-29', 'infinity', 2.5), (2, 1, 'Tern', '20000-12-31', '2023-01-01', -1e29), (3, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "Venue" ("id" TEXT NOT NULL PRIMARY KEY, "openFrom" DATETIME NOT NULL, "openUntil" DATETIME NOT NULL, "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, "isActive" BOOLEAN NOT NULL);
INSERT INTO "Venue" VALUES ('ck1', 1577836800000, 253402300799000, '2024-01-01', 1), ('ck2', 'infinity', '', 0, 0);
CREATE TABLE "SeatBooking" (
    "id" TEXT NOT NULL PRIMARY KEY, "venueId" TEXT NOT NULL, "status" TEXT NOT NULL DEFAULT 'FREE', "price" DECIMAL NOT NULL, "meta" JSONB, "paidAt" DATETIME,
    "totalCents" BIGINT GENERATED ALWAYS AS (price * 100) STORED, CONSTRAINT "venue" FOREIGN KEY ("venueId") REFERENCES "Venue" ("id") ON DELETE RESTRICT
);
INSERT INTO "SeatBooking" ("id", "venueId", "status", "price", "meta", "paidAt") VALUES ('b1', 'ck1', 'FREE', 9.99, '{}', 'infinity'), ('b2', 'ck2', 'TAKEN', 0, x'0c', NULL);
CREATE TABLE depot_product_unit (unit_id INTEGER PRIMARY KEY, attribute_set_id SMALLINT NOT NULL, type_id VARCHAR(32) NOT NULL, sku VARCHAR(64), created_at TIMESTAMP NOT NULL);
INSERT INTO depot_product_unit VALUES (1, 4, 'simple', 'S-1', '2024-01-01'), (2, 4, 'bundle', NULL, '-infinity'), (3, 9, 'simple', '', '2023-05-05');
CREATE TABLE depot_product_unit_datetime (value_id INTEGER PRIMARY KEY, attribute_id SMALLINT NOT NULL, value DATETIME, unit_id INTEGER NOT NULL REFERENCES depot_product_unit (unit_id));
INSERT INTO depot_product_unit_datetime VALUES (1, 77, 'infinity', 1), (2, 78, '2024-02-29 12:00', 1), (3, 77, NULL, 2);
CREATE TABLE depot_product_unit_decimal (value_id INTEGER PRIMARY KEY, attribute_id SMALLINT NOT NULL, value DECIMAL(20, 6), unit_id INTEGER NOT NULL REFERENCES depot_product_unit (unit_id));
INSERT INTO depot_product_unit_decimal VALUES (1, 77, 19.99, 1), (2, 77, -99999999999999.999999, 2), (3, 78, NULL, 3);
CREATE VIEW vessel_due AS SELECT v.id, v.name, v.due, coalesce(v.due, 'infinity') AS due_or_never, b.rate, b."odd ""name%" FROM vessels v LEFT JOIN berths b ON b.id = v.berth_id;
CREATE VIEW beyond AS SELECT id, abs(-9223372036854775808 + id - 1) AS far FROM vessels;
CREATE VIEW broken_json AS SELECT id, json_extract(name, '$.a') AS a FROM vessels;
CREATE VIEW stale AS SELECT x FROM gone;
