-- Columns and the texts of expressions: what SQLite and MySQL take for one another.
--
-- They call an output of a derived table without a name by its text, as a column may be called; SQLite takes TRUE for a
-- column of that name.

-- tables: sale(author VARCHAR(9), amount DOUBLE, null INTEGER, true INTEGER) shop(null INTEGER, amount DOUBLE)

-- on: mysql
-- with: SELECT NULL AS n FROM sale JOIN shop USING (amount)
SELECT author FROM (SELECT NULL) T JOIN sale
SELECT author FROM (SELECT COUNT(*) FROM shop) T JOIN sale
SELECT author FROM (SELECT author, COUNT(*) FROM sale GROUP BY author) T
SELECT 1 FROM (SELECT NULL, author FROM sale) T
SELECT `null` FROM (SELECT NULL AS n) T JOIN sale
SELECT `null` FROM (SELECT NULL») T JOIN sale
SELECT `true` FROM sale JOIN (SELECT NULL »UNION SELECT 1) T
SELECT 1 FROM (SELECT NULL) T JOIN sale WHERE »`null` = 1
SELECT 1 FROM (SELECT NULL) T JOIN sale GROUP BY »`null`
SELECT author FROM (SELECT 'author' AS n) T JOIN sale
SELECT author FROM (SELECT UPPER('author') FROM shop) T JOIN sale
SELECT 1 FROM (SELECT NULL) T JOIN sale JOIN shop USING (amount)
SELECT COUNT(*) FROM (SELECT author, 'x' AS n FROM sale) T
SELECT author FROM (SELECT 'author'») T JOIN sale
SELECT author FROM (SELECT ('author')») T JOIN sale
SELECT COUNT(*) FROM (SELECT 1, 2 AS »`a+b` FROM sale) T
SELECT COUNT(*) FROM (SELECT author, 'x' »FROM sale) T
SELECT 1 FROM (SELECT `null`, NULL »FROM sale) T
SELECT 1 FROM (SELECT NULL, »`null` FROM sale) T
SELECT 1 FROM (SELECT NULL) T JOIN sale JOIN shop USING (»`null`)

-- on: sqlite
-- with: SELECT NULL AS n FROM sale JOIN shop USING (amount)
SELECT author FROM (SELECT NULL) T JOIN sale
SELECT author FROM (SELECT COUNT(*) FROM shop) T JOIN sale
SELECT author FROM (SELECT author, COUNT(*) FROM sale GROUP BY author) T
SELECT 1 FROM (SELECT NULL, author FROM sale) T
SELECT "null" FROM (SELECT NULL AS n) T JOIN sale
SELECT "null" FROM (SELECT NULL») T JOIN sale
SELECT "true" FROM sale JOIN (SELECT NULL »UNION SELECT 1) T
SELECT 1 FROM (SELECT NULL) T JOIN sale WHERE »"null" = 1
SELECT 1 FROM (SELECT NULL) T JOIN sale GROUP BY »"null"
