CREATE FUNCTION f() RETURNS integer LANGUAGE sql AS 'DELETE FROM t RETURNING a';
CREATE FUNCTION lower(varchar) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT 'stolen' $$;
CREATE FUNCTION secret(people) RETURNS text LANGUAGE sql AS $$ SELECT 'stolen' $$;
CREATE FUNCTION adds(integer, text) RETURNS text LANGUAGE sql AS $$ SELECT 'stolen' $$;
CREATE OPERATOR <-> (LEFTARG = integer, RIGHTARG = text, FUNCTION = adds);
