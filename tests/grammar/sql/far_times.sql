-- A time that may be infinite is compared, shown, cut and formatted; none is taken from another, nor is its year a number.

-- tables: view t(due date, made timestamp, n integer)

-- on: postgres
SELECT DATE_TRUNC('month', due), EXTRACT(YEAR FROM due), TO_CHAR(made, 'YYYY'), due || 'x' FROM t WHERE due > DATE '2024-01-01'
SELECT EXTRACT(YEAR FROM due), COUNT(n) FROM t GROUP BY due ORDER BY EXTRACT(YEAR FROM due)
SELECT COALESCE(due, made), GREATEST(due, CURRENT_DATE), CAST(made AS DATE), MAX(due) FROM t WHERE EXTRACT(YEAR FROM made) = 2024 GROUP BY due, made

-- on: postgres
SELECT due »- DATE '2024-01-01' FROM t
SELECT CURRENT_DATE - »due FROM t
SELECT AGE(»made) FROM t
SELECT CAST(EXTRACT(YEAR FROM due) AS »BIGINT) FROM t

-- tables: t(due date, made timestamp, n integer)

-- on: postgres
SELECT due - DATE '2024-01-01', CURRENT_DATE - due, made - due, AGE(made), CAST(EXTRACT(YEAR FROM due) AS BIGINT), due + 7 FROM t
