-- MariaDB's unsigned numbers of 64 bits: some are below zero as doubles, where a fractional power fails.

-- tables: meter(flags BIT(64), pulses BIGINT UNSIGNED, spent DOUBLE, read_at DATETIME)

-- on: mysql
SELECT POW(pulses, 1.5) FROM meter
SELECT POW(pulses % PI(), 1.5) FROM meter
SELECT POW(flags % 7, 1.5) FROM meter
SELECT POW(MAX(pulses) % 7, 1.5) FROM meter
SELECT POW(flags, 2) FROM meter
SELECT MOD(pulses, 7) FROM meter
SELECT POW(flags, »1.5) FROM meter
SELECT POW(MAX(pulses), »1.5) FROM meter
SELECT POW(flags % PI(), »1.5) FROM meter
SELECT POW(MAX(pulses) % PI(), »1.5) FROM meter
SELECT POW(MOD(MAX(pulses), PI()), »1.5) FROM meter
SELECT POW((SELECT MIN(pulses) FROM meter) MOD spent, »1.5) FROM meter
SELECT MAX(pulses) % read_at - »1 FROM meter

-- a time without its interval's sign is an unsigned number
-- on: mysql
SELECT read_at - INTERVAL 1 DAY - INTERVAL 2 HOUR , spent + INTERVAL 1 DAY FROM meter
SELECT FLOOR(read_at - INTERVAL 1 DAY) - »1 FROM meter
