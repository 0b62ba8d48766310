-- Texts to index, of which one is too long, and a large table of codes.
CREATE TABLE unit (unit VARCHAR(16), no INTEGER, raw BLOB, told JSON, fine TEXT);
INSERT INTO unit VALUES ('TI-101', 5, 'ab', '[1]', 'Lisbon'), ('TI-102', 5, NULL, NULL, REPEAT('x', 300));
CREATE TABLE code (code VARCHAR(16), kind VARCHAR(8));
INSERT INTO code SELECT CONCAT('ZX-', LPAD(seq, 7, '0')), CONCAT('kind ', seq % 3) FROM seq_0_to_59999;
ANALYZE TABLE code;
