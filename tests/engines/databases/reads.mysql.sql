CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(20), mood ENUM('sad', 'ok', 'happy'));
INSERT INTO customers VALUES (1, 'Ada', 'happy'), (2, 'Ben', 'sad'), (3, ' Zoe', NULL);
CREATE TABLE `order` (`50%s of 'it' (数)` VARCHAR(20), amount DECIMAL(8, 3), day DATE, moment TIMESTAMP(0) NULL,
    share DOUBLE PRECISION, flag BOOLEAN, notes JSON, size BIGINT);
INSERT INTO `order` VALUES
    ('12%s', 1.250, '2024-03-31', '2024-03-31 08:00:00', 0.5, TRUE, '[1, "二"]', 7),
    ('温度', -0.001, '2024-02-29', '2024-02-29 23:59:59', 1e300, FALSE, '[]', 8589934592),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
