-- Firms with their cities.
CREATE TABLE firm (name TEXT, city TEXT, code TEXT, founded INTEGER);
INSERT INTO firm VALUES ('ExxonMobil', 'New York', 'X_1', 1999), ('PetroChina', 'Tianjin', 'B17', 1999),
    ('Fedex', 'Memphis', 'C9', 1971), ('philanthropist', '北京', 'D', 1900);
