-- What is taken out of JSON: of columns that are declared so, by paths and names that are some.
-- wide: yes
-- tables: guest(*id INTEGER, name TEXT, profile JSON)

-- on: sqlite
SELECT JSON_EXTRACT(profile, '$.level'), JSON_TYPE(profile), JSON_ARRAY_LENGTH(profile, '$.tags') FROM guest
SELECT profile ->> '$.level', profile -> 'tags' ->> 0 FROM guest WHERE JSON_VALID(name)
SELECT JSON_GROUP_ARRAY(JSON_OBJECT('id', id, 'name', name)) FROM guest
SELECT profile ->> »'x.y' FROM guest
SELECT name »->> 'level' FROM guest

-- on: sqlite
SELECT JSON_EXTRACT(»name, '$.level') FROM guest

-- on: mysql
SELECT JSON_VALUE(profile, '$.level'), JSON_UNQUOTE(JSON_EXTRACT(profile, '$.a[0]')), JSON_KEYS(profile) FROM guest
SELECT name FROM guest WHERE JSON_CONTAINS(profile, '1', '$.tags') = 1
SELECT JSON_ARRAYAGG(JSON_OBJECT('id', id, 'name', name)) FROM guest

-- tables: guest(*id INTEGER, name TEXT, profile JSONB, note JSON)
-- on: postgres
SELECT name FROM guest WHERE profile @> '{"level": "gold", "tags": [1]}' AND profile ? 'level'
SELECT profile #>> '{tags,0}', profile ->> 'level' FROM guest
SELECT profile ->> 'level', COUNT(*) FROM guest GROUP BY profile ->> 'level'
SELECT JSONB_BUILD_OBJECT('id', id, 'name', name) FROM guest
SELECT profile, COUNT(*) FROM guest GROUP BY profile

-- on: postgres
-- because: @> does not take
SELECT note »@> '{"level": 1}' FROM guest
