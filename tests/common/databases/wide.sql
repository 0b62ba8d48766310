-- What makes names hard: words of SQL, blanks, quotes, other alphabets, a table without a key.
CREATE TABLE "order" ("group by" INTEGER PRIMARY KEY, "my col" TEXT, "select" REAL, date DATE, "it's" TEXT);
CREATE TABLE "病人" ("编号" INTEGER PRIMARY KEY, "姓名" TEXT, "性别" TEXT, "order" INTEGER REFERENCES "order" ("group by"));
CREATE TABLE "a.b" ("c.d" TEXT, first TEXT, "values" REAL);
INSERT INTO "order" VALUES (1, 'one', 1.5, '2024-01-01', 'x'), (2, 'two', NULL, NULL, 'it''s');
INSERT INTO "病人" VALUES (1, '王芳', '女', 1), (2, '李明', '男', 1), (3, '赵强', '男', 2);
INSERT INTO "a.b" VALUES ('u', 'v', 1), ('u', 'w', 2);
