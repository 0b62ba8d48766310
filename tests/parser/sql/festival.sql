-- Festivals, artworks and museums, for sql/degenerate.sql.
CREATE TABLE festival (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE artwork (artwork_id INTEGER PRIMARY KEY, name TEXT, made_by INTEGER);
CREATE TABLE nomination (artwork_id INTEGER REFERENCES artwork (artwork_id),
    festival_id INTEGER REFERENCES festival (id));
CREATE TABLE opening (festival INTEGER PRIMARY KEY REFERENCES festival (id), day TEXT);
CREATE TABLE museum (museum_id INTEGER PRIMARY KEY, name TEXT, founder INTEGER);
CREATE TABLE loan (artwork_id INTEGER, museum_id INTEGER REFERENCES museum (museum_id));
