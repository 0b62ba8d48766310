-- Queries in normal form, each above its short form.

SELECT Player.Name FROM Player JOIN Game ON Player.Id = Game.Winner WHERE Game.Hall = 1
= SELECT Player.Name FROM Player JOIN Game WHERE Game.Hall = 1
SELECT Player.Name FROM Player JOIN Game ON Player.Id = Game.Loser
= SELECT Player.Name FROM Player JOIN Game ON Player.Id = Game.Loser
SELECT Player.Name FROM Player JOIN Game ON Player.Id = Game.Winner AND Player.Coach = Game.Loser
= SELECT Player.Name FROM Player JOIN Game ON Player.Id = Game.Winner AND Player.Coach = Game.Loser
SELECT Player.Name FROM Player LEFT JOIN Game ON Player.Id = Game.Winner
= SELECT Player.Name FROM Player LEFT JOIN Game
SELECT Player.Name FROM Player CROSS JOIN Game
= SELECT Player.Name FROM Player CROSS JOIN Game
SELECT Player.Name FROM Player JOIN Lone ON Player.Id = Lone.Id
= SELECT Player.Name FROM Player JOIN Lone ON Player.Id = Lone.Id

-- of several sources the latest, of several keys the first
SELECT Player.Name FROM Player JOIN Game ON Player.Id = Game.Winner JOIN Player AS Player_2 ON Game.Loser = Player_2.Id
= SELECT Player.Name FROM Player JOIN Game JOIN Player_2
SELECT Player.Name FROM Player JOIN Game ON Player.Id = Game.Winner JOIN Player AS Player_2 ON Game.Winner = Player_2.Id
= SELECT Player.Name FROM Player JOIN Game JOIN Player_2 ON Game.Winner = Player_2.Id

-- a key is followed once from each row, but any number of rows may refer to one
SELECT Player.Name FROM Player JOIN Game ON Player.Id = Game.Winner JOIN Game AS Game_2 ON Player.Id = Game_2.Winner
= SELECT Player.Name FROM Player JOIN Game JOIN Game_2
SELECT Player.Name FROM Player JOIN Player AS Player_2 ON Player.Coach = Player_2.Id
= SELECT Player.Name FROM Player JOIN Player_2
SELECT Player_2.Name FROM Player JOIN Player AS Player_2 ON Player.Coach = Player_2.Id WHERE Player.Id = 1
= SELECT Player_2.Name FROM Player JOIN Player_2 WHERE Player.Id = 1

-- keys of several columns, in the order of the earlier table
SELECT Game.Hall FROM Game JOIN "Order" ON Game.Hall = "Order".Hall AND Game.Court = "Order".Number LIMIT 1
= SELECT Game.Hall FROM Game JOIN "Order" LIMIT 1
SELECT "Order".City FROM "Order" JOIN Game ON "Order".Hall = Game.Hall AND "Order".Number = Game.Court
= SELECT "Order".City FROM "Order" JOIN Game

-- each SELECT has its own sources
SELECT Lone.Id FROM Lone WHERE Lone.Id IN (SELECT Game.Hall FROM Game JOIN Player ON Game.Winner = Player.Id) UNION SELECT Game.Hall FROM Game JOIN Player ON Game.Winner = Player.Id ORDER BY 1
= SELECT Lone.Id FROM Lone WHERE Lone.Id IN (SELECT Game.Hall FROM Game JOIN Player) UNION SELECT Game.Hall FROM Game JOIN Player ORDER BY 1
SELECT COUNT(*) FROM (SELECT Game.Hall FROM Game JOIN Player ON Game.Winner = Player.Id)
= SELECT COUNT(*) FROM (SELECT Game.Hall FROM Game JOIN Player)

-- what a derived table shows, and its own name
SELECT MAX(t1.c1) - MIN(t1.c1) FROM (SELECT COUNT(*) AS c1 FROM Game GROUP BY Game.Winner) AS t1
= SELECT MAX(t1.c1) - MIN(t1.c1) FROM (SELECT COUNT(*) AS c1 FROM Game GROUP BY Game.Winner) AS t1
SELECT AVG(t1.c2) FROM (SELECT Player.Name AS c1, COUNT(*) AS c2 FROM Player JOIN Game ON Player.Id = Game.Winner GROUP BY Player.Name) AS t1 WHERE t1.c1 IS NOT NULL
= SELECT AVG(t1.c2) FROM (SELECT Player.Name AS c1, COUNT(*) AS c2 FROM Player JOIN Game GROUP BY Player.Name) AS t1 WHERE t1.c1 IS NOT NULL
SELECT Player.Name, t1.c2 FROM Player JOIN (SELECT Game.Winner AS c1, COUNT(*) AS c2 FROM Game GROUP BY Game.Winner) AS t1 ON Player.Id = t1.c1
= SELECT Player.Name, t1.c2 FROM Player JOIN (SELECT Game.Winner AS c1, COUNT(*) AS c2 FROM Game GROUP BY Game.Winner) AS t1 ON Player.Id = t1.c1
SELECT COUNT(*) FROM (SELECT DISTINCT Game.Winner FROM Game)
= SELECT COUNT(*) FROM (SELECT DISTINCT Game.Winner FROM Game)
