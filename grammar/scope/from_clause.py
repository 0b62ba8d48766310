"""The steps of FROM and WITH: sources, their names, and how they are joined."""

from collections.abc import Iterable

from ..types.abstract_values import AbstractValue, RuleViolation
from .column_steps import Steps
from .names import OTHER, START, Column, CommonTable, Name, Source
from .select_scope import Scope, SelectScope


class FromClause(Steps):
    """Words and reductions of FROM."""

    def _at_from(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT d.a FROM (SELECT b FROM``: refused, the derived table must show a."""
        select = scope.select
        self.check("derived", not select.required, f"the derived table must show {', '.join(sorted(select.required))}")
        return self.completable(self.change(scope, clause="from", pending="source", term=OTHER), "FROM")

    def _at_joins_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``FROM t,``: the next source begins a group of its own; refused where keys must link it."""
        self._by_keys(",")
        self._single(scope.select)
        return self.completable(self.change(scope, pending="source", join="comma"), "a comma")

    def _at_join(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``FROM t FULL JOIN``: JOIN leaves the kind of the join as it is."""
        return self._joining(scope, "full" if scope.select.join == "full" else "join")

    def _at_cross(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self._by_keys("CROSS JOIN")
        return self._joining(scope, "join")

    def _by_keys(self, way: str) -> None:
        """Refuse a way to join that names no columns where foreign keys must link what is joined."""
        if self.costs.joins.keys is not None:
            raise RuleViolation("joins", f"{way} joins on no key; write JOIN and ON")

    def _at_right(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self._at_join(self._made_of(scope, "turned"), name, inside)

    def _at_full(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``FROM t FULL``: USING must follow, where the dialect requires it."""
        return self._joining(self._made_of(scope, "turned"), "full" if "full join" in self.on else "join")

    def _made_of(self, scope: Scope, what: str) -> Scope:
        """``FROM t FULL JOIN s ON a JOIN (SELECT b FROM t UNION ALL``: refused, the engine may lose its way there."""
        if "joined unions" not in self.on or scope.select.made_of == what:
            return scope
        self.check("joined unions", not scope.select.made_of, "RIGHT or FULL JOIN in one FROM with UNION ALL")
        return self.change(scope, made_of=what)

    def _joining(self, scope: Scope, join: str) -> Scope:
        self._single(scope.select)
        self.costs.joins.whole(scope.select._replace(join=join), "")
        return self.completable(self.change(scope, pending="source", join=join), "the join")

    def _single(self, select: SelectScope) -> None:
        """Refuse a second source beside a star that has one: ``SELECT * FROM t UNION SELECT * FROM t, s``."""
        lonely = select.derived and self.costs.named_only and bool(select.star)
        self.check("derived", not lonely, "a derived table with a star has one source: names must differ")
        self.check("column counts", not select.same, "behind a set operator a star stands for one table")

    def _at_open(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT d.n FROM (``: the derived table d begins; ``FULL JOIN (`` is refused where USING must follow."""
        select = scope.select
        self.check("column counts", not select.same, "behind a set operator a star stands for one table")
        self.check("common columns", select.join != "full", "a derived table is joined ON a condition")
        promised = min((n for n in select.needs if n.name and not n.tables), default=None, key=lambda n: n.name)
        free = promised is not None or self.quirks.optional_alias or any(self.resolver.free_aliases(select))
        self.check("unique", free, "no alias is left")
        return self.completable(self.change(scope, pending="open", promised=promised), "(")

    def _at_table(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT * FROM t UNION SELECT * FROM s``: refused, the star is of t."""
        same = scope.select.same
        self.check("column counts", not same or name.name == same, f"the star before the set operator is of {same}")
        self.costs.joins.whole(scope.select, name.name)
        self.costs.joins.link(name.name, scope.select)
        found = self.change(scope, pending="table", written=Source("", name.name))
        return self.completable(found, name.name)

    def _named(self, scope: Scope, name: str) -> Scope:
        """Give the pending source a name: ``FROM t AS x``."""
        label = scope.select.pending == "table" and name in self.resolver.catalogue.derived
        self.check("unique", not label, f"{name} names no table")
        return self.completable(self.make(self.costs.joins.placed(scope.select, name), scope.outer), name)

    def _source_as(self, scope: Scope) -> Scope:
        """``FROM (SELECT 1) AS``: an alias must be left."""
        select = scope.select
        if select.pending == "derived":
            free = select.promised is not None or any(self.resolver.free_aliases(select))
            self.check("unique", free, "no alias is left")
        return self.completable(self.change(scope, pending="name"), "AS") if select.pending == "table" else scope

    def _source(self, scope: Scope) -> Scope:
        """``FROM t`` is over without a name: it has its own."""
        select = scope.select
        if select.pending in {"table", "derived"}:
            return self._named(scope, "")
        return scope

    def _joined(self, scope: Scope) -> Scope:
        """``FROM t JOIN s`` is over; refused where keys must link them, since ON is missing."""
        if scope.select.join == "join":
            self._by_keys("JOIN alone")
        return self.change(scope, join="") if scope.select.join else scope

    def _at_on(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``FROM t FULL JOIN s ON``: refused, where FULL JOIN takes USING alone."""
        self.check("full join", scope.select.join != "full", "FULL JOIN joins by USING")
        condition = self.costs.joins.condition(scope.select)
        return self.completable(self.change(scope, clause="on", join="", condition=condition), "ON")

    def _equated(self, scope: Scope, place: str, name: Name) -> Scope:
        """``FROM city AS c JOIN state AS s ON 1``: refused, ``c.state_id = s.id`` must stand first."""
        select, now = scope.select, scope.select.condition
        assert now is not None, "no key is to be written"
        column = self.resolver.identity(select, (name.owner, name.name)) if place == "column" else OTHER
        after = now.after(place, column)
        if after is None:
            keys = sorted({" = ".join(sorted(".".join(c) for c in pair)) for e in now.equations for pair in e[:1]})
            problem = f"ON begins with {' or '.join(keys)}" if keys else "behind its key ON goes on with AND alone"
            raise RuleViolation("joins", problem)
        return self.change(scope, condition=after)

    def _at_using(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``FROM t JOIN s USING``: refused if t and s have no column in common."""
        common = self.costs.joins.joinable(scope.select)
        self.check("common columns", bool(common), "the two sides have no column in common")
        return self.change(scope, clause="using", term=START)

    def _at_common_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``USING (a,``: refused if there is no other column in common."""
        select = scope.select
        more = self.costs.joins.joinable(select) - select.using
        self.check("common columns", bool(more), "the two sides have no other column in common")
        return scope

    def _at_common(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``USING (a, a)``: refused, as is a column that is not once on both sides."""
        select = scope.select
        able = name.name in self.costs.joins.joinable(select) and name.name not in select.using
        self.check("common columns", able, f"{name.name} is not once on both sides")
        return self.change(scope, using=select.using | {name.name})

    def _used(self, scope: Scope) -> Scope:
        """``USING (a)`` is over: a is one column from here on."""
        select = self.costs.joins.merged(scope.select, scope.select.using)
        select = select._replace(clause="from", join="", using=frozenset(), term=OTHER)
        return self.completable(self.make(select, scope.outer), "the join")

    def _conditioned(self, scope: Scope) -> Scope:
        """``ON t.a = s.a`` or ``USING (a)`` is over."""
        if scope.select.clause == "using":
            return self._used(scope)
        condition = scope.select.condition
        if condition is not None and not condition.written:
            raise RuleViolation("joins", "ON does not say the whole key")
        return self.change(scope, clause="from", join="", condition=None)

    def _from(self, scope: Scope) -> Scope:
        """``SELECT s.a FROM t`` is over: refused, s is missing; stars become outputs, and bare columns get owners."""
        select = scope.select
        names = ", ".join(sorted(n.name or next(iter(n.columns)) for n in select.needs))
        self.check("sources", not select.needs, f"{names} is not in FROM")
        starred = tuple(self.resolver.starred(select))
        outputs = select.outputs if select.compound else (*select.outputs, *starred)
        own = (*select.own, *((o.name, o.column) for o in starred)) if self.resolver.apart(select) else ()
        if select.derived and select.star and self.costs.named_only:
            names_ = [o.name for o in outputs]
            self.check("derived", len(set(names_)) == len(names_), "the derived table shows a name twice")
        hidden = self.resolver.hidden_keys(select)  # they keep standing bare

        def known(columns: Iterable[Column]) -> frozenset[Column]:
            return frozenset(c if c[1] in hidden else self.resolver.identity(select, c) for c in columns)

        items = tuple(item._replace(columns=known(item.columns)) for item in select.items)
        plain, alone = known(select.plain), known(select.alone)
        return self.change(scope, clause="closed", outputs=outputs, own=own, plain=plain, items=items, alone=alone)


class CommonTables(FromClause):
    """Words of WITH, and its names in FROM, beside the other sources.

    Engines differ in what such a name hides where: in ``WITH t AS (SELECT a FROM t)`` t is the table to most, and
    refers to itself to SQLite, where each query of WITH may name those behind it, too. So none is called as a table is.
    """

    def _at_with(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``WITH``: an alias must be left that is no table's name."""
        self.check("unique", self._free(scope.select), "no name is left")
        return self.change(scope, clause="with", pending="name")

    def _at_ctes_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``WITH a AS (SELECT 1),``: another name must be left."""
        return self._at_with(scope, name, inside)

    def _free(self, select: SelectScope) -> bool:
        return any(not self._taken(select, alias) for alias in self.resolver.catalogue.aliases)

    def _taken(self, select: SelectScope, name: str) -> str:
        """Return what is called by a name already, empty if nothing."""
        catalogue = self.resolver.catalogue
        if catalogue.clashes(name, (table.name for table in select.common)):
            return "a query of WITH"
        return "a table" if catalogue.is_table(name) else ""

    def _at_defined(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``WITH a AS (SELECT 1), a``: refused, as is a table's name."""
        taken = self._taken(scope.select, name.owner)
        self.check("unique", not taken, f"{taken} is called {name.owner} already")
        return self.change(scope, defined=name.owner, pending="defined")

    def _at_defining(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``WITH a AS (``: its query begins, as that of a derived table does."""
        return self.change(scope, pending="open")

    def _common_table(self, scope: Scope, inner: SelectScope, columns: tuple[tuple[str, AbstractValue], ...]) -> Scope:
        """``WITH a AS (SELECT 1 AS n)``: a shows n."""
        select = scope.select
        # the tables behind a set operator are not joined with those around it
        size = 1 if inner.compound else max(1, self.costs.sources.counted(inner.sources))
        table = CommonTable(select.defined, columns, inner.made_of, size)
        return self.change(scope, common=(*select.common, table), defined="", pending="", made_of="")

    def _at_common_table(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``FROM a``, of WITH: it is joined as a derived table is."""
        select = scope.select
        table = next((one for one in select.common if one.name == name.owner), None)
        self.check("visible", table is not None, f"no query of WITH is called {name.owner}")
        table = table or CommonTable(name.owner, ())
        self.check("column counts", not select.same, "behind a set operator a star stands for one table")
        self.check("common columns", select.join != "full", "a query of WITH is joined ON a condition")
        unnamed = any(not column for column, _ in table.columns) and self.resolver.may_title(select.bares)
        self.check("ambiguous", not unnamed, f"{name.owner} has a column without a name, which may be called so")
        if table.made_of:
            scope = self._made_of(scope, table.made_of)
        self.costs.joins.link("", scope.select)
        return self.completable(self.change(scope, pending="table", written=table.source), name.owner)
