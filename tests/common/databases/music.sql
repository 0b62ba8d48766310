-- Artists, their albums, and reviews of these.
CREATE TABLE artist (artist_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE album (
    album_id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist (artist_id), year INTEGER, cut DATE
);
CREATE TABLE review (album_id INTEGER REFERENCES album, stars REAL, text TEXT);
INSERT INTO artist VALUES (1, 'Nina Simone', 'USA'), (2, 'Björk', 'Iceland'), (3, 'Can', 'Germany');
INSERT INTO album VALUES (1, 'Pastel Blues', 1, 1965, '1965-10-01'), (2, 'Debut', 2, 1993, '1993-07-05'),
    (3, 'Post', 2, 1995, '1995-06-13'), (4, 'Tago Mago', 3, 1971, '1971-02-01');
INSERT INTO review VALUES (1, 4.5, 'deep'), (2, 4.0, 'fresh'), (2, 3.5, NULL), (4, 5.0, 'wild');
