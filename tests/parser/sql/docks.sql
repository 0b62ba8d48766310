-- Docks and boats that are hired: days as ISO and as D/M/Y, a flag of letters, fees with dollars.
CREATE TABLE dock (dock_id INTEGER PRIMARY KEY, label TEXT, built INTEGER, budget_millions REAL);
CREATE TABLE hire (hire_id INTEGER PRIMARY KEY, dock_id INTEGER REFERENCES dock(dock_id), taken TEXT, back TEXT,
    noted TEXT, insured TEXT, fee TEXT);
INSERT INTO dock VALUES (1, 'North', 1998, 2.5), (2, 'South', 2006, 7.25), (3, 'West', 2015, 30);
