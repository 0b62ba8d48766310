"""Views stand like tables, but that engines know no keys; of the size of what they reckon see sql/views.sql."""

from rule_cases import judge, stop

from querent.data.schema.schema import Column, Schema, Table


def one(types: str, *, computed: bool = True, behind: int = 1) -> Schema:
    """Make a schema of a view, or of a table with nothing behind it: ``one("a integer")``."""
    columns = tuple(Column(*told.split(" ", 1), computed=computed) for told in types.split(", "))
    return Schema((Table("t", columns, (columns[0].name,), behind=behind),))


def test_the_key_of_a_view_makes_no_groups_and_one_row() -> None:
    """``SELECT r … GROUP BY n``: PostgreSQL takes it where n is a table's primary key."""
    grouped, single = "SELECT r FROM t GROUP BY n", "SELECT (SELECT r FROM t WHERE n = 7)"
    for behind, able in ((0, True), (1, False)):
        schema = one("n integer, r real", computed=False, behind=behind)
        assert (stop(judge((grouped,), "postgres", schema=schema), grouped) is None) == able
        assert stop(judge((single,), "postgres", schema=schema), single) is None


def test_a_view_counts_as_the_tables_that_it_joins() -> None:
    """MariaDB joins 61 tables at most, those of views among them."""
    for behind, able in ((1, True), (25, False)):
        schema = one("n bigint", behind=behind)
        sql = "SELECT a.n FROM t AS a, t AS b, t AS c"
        assert (stop(judge((sql,), "mysql", schema=schema), sql) is None) == able


def test_sqlite_has_no_full_joins_beside_views() -> None:
    """«ON clause references tables to its right», says SQLite where the view is a UNION ALL."""
    for side, behind, able in (("FULL", 0, True), ("FULL", 2, False), ("RIGHT", 2, False), ("LEFT", 2, True)):
        sql = f"SELECT a.n FROM t AS a {side} JOIN t AS b ON a.n = b.n JOIN t AS c ON c.n = b.n"
        assert (stop(judge((sql,), "sqlite", schema=one("n integer", behind=behind)), sql) is None) == able


def test_mysql_reads_no_view_of_aggregates_within_an_aggregate() -> None:
    """«Invalid use of group function», says MariaDB, however deep within: EXISTS, ANY, IN, a value, a derived table."""
    within = [
        "SELECT MAX(t.n IN (SELECT crowd.n FROM crowd)) FROM t",
        "SELECT MAX(t.n IN (SELECT n FROM crowd)) FROM t",
        "SELECT MAX((SELECT n FROM t WHERE EXISTS (SELECT 1 FROM crowd) LIMIT 1)) FROM t",
        "SELECT n FROM t GROUP BY n HAVING MAX(n < ANY (SELECT 1 UNION SELECT n FROM crowd))",
        "SELECT COUNT(EXISTS (SELECT 1 FROM (SELECT * FROM crowd) AS d)) FROM t",
        "SELECT MAX(t.n IN (SELECT d.n FROM (SELECT n FROM crowd) AS d)) FROM t",
    ]
    outside = (
        "SELECT MAX(n), (SELECT MIN(n) FROM crowd) FROM crowd WHERE EXISTS (SELECT MAX(n + (SELECT 1)) FROM crowd)"
    )
    for aggregated in (False, True):
        crowd = Table("crowd", (Column("n", "integer"),), behind=1, aggregated=aggregated)
        schema = Schema((*one("n integer", behind=0).tables, crowd))
        for sql in (*within, outside):
            found = stop(judge((sql,), "mysql", schema=schema), sql)
            assert (found is None) == (sql == outside or not aggregated), (sql, found)
