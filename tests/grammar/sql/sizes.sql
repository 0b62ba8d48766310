-- The sizes of types that a cast may name: what any value that may come fits into, whatever the constants are.

-- on: postgres
SELECT 9 :: NUMERIC(3)
SELECT CAST(9 AS NUMERIC(3, 0)) + 1
SELECT 9999.7 :: NUMERIC(20)
SELECT 1234 :: NUMERIC(10, 1)
SELECT NULL :: NUMERIC(2, 0)
SELECT people / 3 :: NUMERIC(10, 1) FROM city
SELECT people :: VARCHAR(500) FROM city

-- on: postgres
-- because: may not fit
SELECT CAST(9.7 AS NUMERIC»(1))
SELECT 9 :: NUMERIC(3, »1)
SELECT 9 :: NUMERIC(10, »2)
SELECT 123456789 :: NUMERIC»(10)

-- on: postgres
-- because: could fail on some rows
SELECT people / 0.01 »:: NUMERIC(10, 1) FROM city

-- on: postgres
-- because: another size
SELECT people :: VARCHAR(»0) FROM city

-- on: mysql
SELECT CAST(area AS DECIMAL(10, 2)) FROM state
SELECT CAST(area AS DECIMAL(38, 9)) FROM state
SELECT CAST(area AS DECIMAL(3, 0)) FROM state
SELECT CAST(name AS CHAR(9999)) FROM state

-- on: mysql
-- because: another size
SELECT CAST(area AS DECIMAL(3, »2)) FROM state
SELECT CAST(area AS DECIMAL(»39, 2)) FROM state
SELECT CAST(area AS DECIMAL(12, »10)) FROM state
SELECT CAST(name AS CHAR(»12345)) FROM state
