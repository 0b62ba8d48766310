-- Names that need quotes, that begin alike, and that look like the second use of another table.
CREATE TABLE "select" ("from" int PRIMARY KEY, "a.b" text REFERENCES "select" ("from"), "Größe" text);
CREATE TABLE "select_2" ("from" text, "x y" text);
CREATE TABLE sel ("select" text REFERENCES sel (sel), sel text PRIMARY KEY);
CREATE TABLE "城市" ("名称" text, "order" text);
