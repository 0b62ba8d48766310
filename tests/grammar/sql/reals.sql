-- PostgreSQL's REAL: beside it a NUMERIC becomes one, which may not fit; a double that was reckoned is none.

-- tables: meter(total NUMERIC, spent DOUBLE PRECISION, rate REAL, price NUMERIC(10,2))

-- on: postgres
SELECT GREATEST(rate, price) , LEAST(1, rate) , COALESCE(rate, 0) * 1.5 FROM meter
SELECT CASE WHEN price > 1 THEN rate ELSE 0.5 END FROM meter
SELECT rate * 1.5 , GREATEST(spent, total) , rate > total FROM meter

-- on: postgres
SELECT GREATEST(rate, total») FROM meter
SELECT COALESCE(total, rate») FROM meter
SELECT CASE WHEN price > 1 THEN rate ELSE »total END FROM meter
SELECT (total * spent * spent * 1.0) * (total * »spent * spent * 1.0) * 1.0 * 1.0 * total * spent * spent FROM meter
