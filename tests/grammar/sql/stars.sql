-- A column that stars show twice is known to be there twice, and not named.

-- on: postgres
-- because: twice
SELECT 1 FROM (SELECT *, * FROM city) x WHERE »x.id > 1
SELECT 1 FROM (SELECT y.*, y.* FROM city y) x WHERE »x.id > 1
SELECT 1 FROM (SELECT * FROM (SELECT *, y.id FROM city y) x) z WHERE »z.id > 1

-- on: postgres
-- because: more than one source
SELECT 1 FROM (SELECT y.*, * FROM city y) x WHERE »id > 1
