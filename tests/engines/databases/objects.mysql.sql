CREATE TABLE event (day DATE, state ENUM('new', 'it''s done', 'retired'));
INSERT INTO event VALUES ('2023-05-05', 'new');
CREATE TABLE page (no INTEGER, doc JSON, said LONGTEXT, CHECK (JSON_VALID(said)));
CREATE VIEW page_now AS SELECT doc, said, no FROM page;
CREATE TABLE gone (a INTEGER);
CREATE VIEW stale AS SELECT a FROM gone;
DROP TABLE gone;
