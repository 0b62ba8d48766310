-- A schema with names that differ in case alone.
CREATE SCHEMA "Plant";
CREATE TYPE "Plant"."Phase" AS ENUM ('Hot', 'cold');
CREATE TABLE "Plant"."Pump" (id INTEGER PRIMARY KEY, "Name" TEXT UNIQUE, phase "Plant"."Phase");
CREATE TABLE "Plant".pump (id INTEGER PRIMARY KEY, secret TEXT);
CREATE VIEW "Plant"."Named" AS SELECT id AS pump_id, "Name" FROM "Plant"."Pump";
CREATE TABLE "Plant".event (day DATE) PARTITION BY RANGE (day);
CREATE TABLE "Plant".event_1 PARTITION OF "Plant".event FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
