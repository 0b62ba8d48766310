-- Queries of derived tables, each above the form that people write it in.

SELECT t1.c1, t1.c2 FROM (SELECT Game.Hall AS c1, COUNT(*) AS c2 FROM Game GROUP BY Game.Hall) AS t1 WHERE t1.c1 > 2
= SELECT t1.Hall, t1.c2 FROM (SELECT Game.Hall, COUNT(*) AS c2 FROM Game GROUP BY Game.Hall) AS t1 WHERE t1.Hall > 2

-- two are called alike
SELECT t1.c1, t1.c2 FROM (SELECT Player.Id AS c1, Lone.Id AS c2 FROM Player, Lone) AS t1
= SELECT t1.c1, t1.c2 FROM (SELECT Player.Id AS c1, Lone.Id AS c2 FROM Player, Lone) AS t1

-- two derived tables have one name
SELECT t1.c1 FROM (SELECT Game.Hall AS c1, COUNT(*) AS c2 FROM Game GROUP BY Game.Hall) AS t1 WHERE t1.c2 > (SELECT AVG(t1.c2) FROM (SELECT Game.Hall AS c1, COUNT(*) AS c2 FROM Game GROUP BY Game.Hall) AS t1)
= SELECT t1.c1 FROM (SELECT Game.Hall AS c1, COUNT(*) AS c2 FROM Game GROUP BY Game.Hall) AS t1 WHERE t1.c2 > (SELECT AVG(t1.c2) FROM (SELECT Game.Hall AS c1, COUNT(*) AS c2 FROM Game GROUP BY Game.Hall) AS t1)

-- what has no derived table, or no name of its own there
SELECT Game.Hall FROM Game
= SELECT Game.Hall FROM Game

SELECT COUNT(*) FROM (SELECT DISTINCT Game.Hall FROM Game)
= SELECT COUNT(*) FROM (SELECT DISTINCT Game.Hall FROM Game)

SELECT t1.c1 FROM (SELECT Game.Hall + 1 AS c1 FROM Game) AS t1
= SELECT t1.c1 FROM (SELECT Game.Hall + 1 AS c1 FROM Game) AS t1
