-- Texts to index, of which one is too long, and a large table of codes.
CREATE TABLE unit (unit VARCHAR(16), no INTEGER, raw BYTEA, told JSON, fine TEXT);
INSERT INTO unit VALUES ('TI-101', 5, 'ab', '[1]', 'Lisbon'), ('TI-102', 5, NULL, NULL, REPEAT('x', 300));
CREATE TABLE code (code VARCHAR(16), kind VARCHAR(8));
INSERT INTO code SELECT 'ZX-' || LPAD(n::text, 7, '0'), 'kind ' || n % 3 FROM generate_series(0, 59999) AS n;
ANALYZE code;
