-- What people ask in passing: what is missing, the last time, the cheapest, who did what.
CREATE TABLE genres (genre_id INTEGER PRIMARY KEY, genre_name TEXT);
CREATE TABLE authors (author_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, country TEXT, death_yr INTEGER);
CREATE TABLE books (
    book_id INTEGER PRIMARY KEY, title TEXT, binding TEXT, pages INTEGER, price REAL, added_on DATE,
    genre_id INTEGER REFERENCES genres (genre_id), author_id INTEGER REFERENCES authors (author_id)
);
CREATE TABLE copies (copy_id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books (book_id), shelf INTEGER);
CREATE TABLE members (
    memb_id INTEGER PRIMARY KEY, memb_name TEXT, town TEXT, email TEXT, birth_dt DATE, is_active INTEGER
);
CREATE TABLE loans (
    loan_id INTEGER PRIMARY KEY, memb_id INTEGER REFERENCES members (memb_id),
    copy_id INTEGER REFERENCES copies (copy_id), loan_dt DATE, return_dt DATE, fee REAL
);
CREATE TABLE reviews (
    review_id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books (book_id), stars INTEGER, state TEXT
);

INSERT INTO genres SELECT n, word || ' tales' FROM number WHERE n < 5;
INSERT INTO authors
SELECT n, word, 'Writer' || substr('ab', 1 + n / 10, 1), iif(n % 2, 'Chad', 'Peru'), iif(n % 3, NULL, 1950 + n)
FROM number WHERE n < 20;
INSERT INTO books
SELECT a.n, 'The ' || b.word || ' ' || ('["Hill", "Shore", "Creek", "Field"]' ->> (a.n % 4)),
    '["hardback", "paperback", "spiral"]' ->> (a.n * a.n % 3), 100 + 10 * (a.n % 9), 5 + a.n * 1.5,
    printf('20%d-%02d-%02d', 21 + a.n * a.n % 7 % 3, 1 + a.n * 5 % 12, 1 + a.n * 7 % 28), a.n * a.n % 5, a.n % 20
FROM number AS a JOIN number AS b ON b.n = a.n / 4 WHERE a.n < 40;
INSERT INTO copies SELECT n, n * n % 37, n % 7 FROM number WHERE n < 60;
INSERT INTO members
SELECT n, word || ' Of' || ('["hill", "shore", "creek", "field"]' ->> (n % 4)),
    '["Rome", "Oslo", "Lima"]' ->> (n * n % 3), iif(n % 4, 'm' || n || '@x.org', NULL),
    printf('19%d-05-%02d', 50 + n, 1 + n % 28), n % 2
FROM number WHERE n < 40;
INSERT INTO loans
SELECT a.n, a.n * a.n % 31, a.n * 3 % 60,
    printf('20%d-%02d-%02d', 21 + b.n * b.n % 7 % 3, 1 + b.n * 5 % 12, 1 + b.n * 7 % 28),
    iif(a.n % 5, printf('20%d-%02d-%02d', 21 + c.n * c.n % 7 % 3, 1 + c.n * 5 % 12, 1 + c.n * 7 % 28), NULL),
    0.5 * (1 + a.n * a.n % 23)
FROM number AS a JOIN number AS b ON b.n = a.n + 3 JOIN number AS c ON c.n = a.n + 4 WHERE a.n < 90;
INSERT INTO reviews
SELECT n, n * n % 29, 1 + n * n % 5, '["pending", "checked", "hidden"]' ->> (n * n % 11 % 3)
FROM number WHERE n < 60;
