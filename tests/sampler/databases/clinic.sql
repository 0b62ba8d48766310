-- What columns mean: times in five forms, flags, numbers in texts, a key into the same table.
CREATE TABLE nurse (
    nurse_id INTEGER PRIMARY KEY, name TEXT, head_nurse_id INTEGER REFERENCES nurse (nurse_id), date_of_birth DATE,
    ward TEXT, salary INTEGER, bonus TEXT, is_certified INTEGER, has_locker TEXT,
    on_leave TEXT
);
CREATE TABLE visit (
    visit_id INTEGER PRIMARY KEY, nurse_id INTEGER REFERENCES nurse (nurse_id), requested TEXT, completed TEXT,
    room TEXT, cost TEXT, urgent TEXT
);
CREATE TABLE delivery (delivery_id INTEGER PRIMARY KEY, supplier TEXT, received TEXT, weight TEXT, boxes INTEGER);
CREATE TABLE reading (reading_id INTEGER PRIMARY KEY, device TEXT, taken_at INTEGER, pulse INTEGER, alarm TEXT);

INSERT INTO nurse
SELECT n, word || ' ' || substr('HJKL', 1 + n / 10, 1), iif(n, '[0, 0, 0, 1, 2, 2, 4]' ->> (n % 7), NULL),
    printf('19%d-0%d-1%d', 60 + n, 1 + n % 9, n % 9), '["North", "South", "West"]' ->> (n * n % 5 % 3),
    2000 + n * n % 37 * 50, printf('$%d,%03d', 1 + n % 5, n * 17 % 1000), n % 3 > 0, iif(n % 4 = 0, 'N', 'Y'), iif(n % 5 = 2, 'Y', 'N')
FROM number WHERE n < 36;
INSERT INTO visit
SELECT n, n * n % 29, day || printf(' %02d:15:00', n % 24),
    iif(n % 6 = 0, NULL, date(day, (n * n % 23 + 17 * (n = 41)) || ' days') || printf(' %02d:45:00', n % 24)),
    '["Atrium", "Bay", "Court"]' ->> (n * n % 11 % 3), printf('$%d,%03d', 1 + n * 7 % 9, n * 13 % 1000),
    iif(n % 3 = 0, 'N', 'Y')
FROM number WHERE n < 160;
INSERT INTO delivery
SELECT a.n, b.word || ' Ltd', strftime('%d/%m/%Y', c.day), (2 + a.n * a.n % 41) || ' kg', 1 + a.n % 7
FROM number AS a JOIN number AS b ON b.n = a.n * a.n % 5 JOIN number AS c ON c.n = a.n * 3 WHERE a.n < 120;
INSERT INTO reading
SELECT a.n, b.word || ' ' || (a.n % 3), CAST(strftime('%s', a.day) AS INTEGER) + 3600 * a.n, 60 + a.n * a.n % 41,
    iif(a.n % 7, 'no', 'yes')
FROM number AS a JOIN number AS b ON b.n = a.n % 4 WHERE a.n < 150;
