-- Games between players, with keys by name, of two columns, and to a table that is not there.
CREATE TABLE Player (Id INT PRIMARY KEY, Name TEXT, Coach INT REFERENCES Player (Id));
CREATE TABLE Game (
    Winner INT REFERENCES Player (Id), Loser INT REFERENCES player, Hall INT, Court INT,
    FOREIGN KEY (Court, Hall) REFERENCES "Order" (Number, Hall)
);
CREATE TABLE "Order" (Hall INT, Number INT, City TEXT, PRIMARY KEY (Hall, Number));
CREATE TABLE Lone (Id INT, Game INT REFERENCES Gone (x));
