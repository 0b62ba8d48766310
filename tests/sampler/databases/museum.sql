-- What belongs to what: galleries without artworks or tours, no two with as many, and times that a verb tells.
CREATE TABLE gallery (gallery_id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE artwork (
    artwork_id INTEGER PRIMARY KEY, title TEXT, gallery_id INTEGER REFERENCES gallery (gallery_id), acquired_on DATE,
    restored_on DATE, made_year INTEGER, style TEXT, technique TEXT, price INTEGER, old_price INTEGER, age INTEGER,
    length INTEGER, weight INTEGER
);
CREATE TABLE tour (
    tour_id INTEGER PRIMARY KEY, gallery_id INTEGER REFERENCES gallery (gallery_id), guide TEXT, price INTEGER
);

INSERT INTO gallery SELECT n, word || ' hall', iif(n % 2, 'Oslo', 'Rome') FROM number WHERE n < 10;
INSERT INTO artwork
SELECT id, word || ' ' || substr('abcdefghi', gallery, 1), gallery,
    acquired, iif(id % 3 = 2, NULL, date(acquired, (id * id % 53) || ' days')), 1900 + id * id % 97,
    '["Baroque", "Cubism", "Realism"]' ->> (id % 3), iif(id % 3, iif(id % 5, 'oil', 'wood'), 'ink'),
    100 + id * 37 % 997, 90 + id * 29 % 991, 40 + id * 17 % 101, 20 + id * 13 % 89, 5 + id * 11 % 83
FROM (SELECT *, printf('20%d-0%d-1%d', 18 + id * id % 11 % 6, 1 + id % 9, id % 10) AS acquired
FROM (SELECT 10 * g.n + a.n AS id, g.n AS gallery, a.word FROM number AS g JOIN number AS a ON a.n < g.n WHERE g.n < 10));
INSERT INTO tour
SELECT a.n, 3 + a.n * a.n % 5, b.word || ' Guide', 5 + a.n
FROM number AS a JOIN number AS b ON b.n = a.n % 3 WHERE a.n < 25;
