"""Queries that repeat a part, which no question needs: an output, a condition, both halves of a set operation.

No question needs a column that equals two values at once either, nor a comparison of a column with itself or with NULL,
which is true of nothing.
"""

from collections.abc import Sequence

_SETS = frozenset({"UNION", "INTERSECT", "EXCEPT"})
_ENDS = frozenset({",", "FROM"})
_COMPARING = frozenset({"=", "<>", "!=", "<", "<=", ">", ">=", "LIKE"})
_BEHIND_CONDITIONS = _SETS | {"AND", "OR", ")", "GROUP", "HAVING", "ORDER", "LIMIT", "<eos>"}


def repeats(words: Sequence[str]) -> frozenset[str]:
    """Return the words that would complete a repetition.

    ``a.x`` does behind ``SELECT a.x,``, and the end behind ``SELECT a.x FROM a INTERSECT SELECT a.x FROM a``. ``=`` is
    among them behind ``WHERE a.x = 1 AND a.x``, and ``a.x`` behind ``WHERE a.x <``.

    Args:
        words: of a query, short form, from its beginning.

    Returns:
        texts of words, ``<eos>`` for the end.
    """
    found: set[str] = set()
    last_condition, *before = _conditions(words, "AND")
    alternative, *others = _conditions(words, "OR")
    if last_condition in before or alternative in others:
        found |= _BEHIND_CONDITIONS
    if any(other[1:] == ["=", *last_condition] and "." not in other[0] for other in before):
        found.add("=")
    if len(words) > 1 and words[-1] in _COMPARING:
        found |= {"NULL", words[-2]} if "." in words[-2] else {"NULL"}
    if _equal_halves(words):
        found.add("<eos>")
    last, *outputs = _outputs(words) or [[]]
    if last in outputs:
        found |= _ENDS
    # not behind an operator or a bracket: there it is no output by itself
    if not last:
        found |= {item[0] for item in outputs if len(item) == 1 and "." in item[0]}
    return frozenset(found)


def _outputs(words: Sequence[str]) -> list[list[str]]:
    """Return the outputs of the select list that stands open, the last first, each backwards; none elsewhere."""
    items: list[list[str]] = [[]]
    depth = 0
    for word in reversed(words):
        depth += (word == ")") - (word == "(")
        if depth < 0:  # a comma within a function
            return []
        if depth == 0 and word in ("SELECT", "DISTINCT"):
            return items
        if depth == 0 and word == ",":
            items.append([])
        elif depth == 0 and word in ("FROM", "BY"):  # a comma of GROUP BY or ORDER BY
            return []
        else:
            items[-1].append(word)
    return []


def _conditions(words: Sequence[str], joined: str) -> list[list[str]]:
    """Return the conditions that AND, or OR, joins at the end, the last first, each backwards."""
    pieces: list[list[str]] = [[]]
    depth = 0
    for word in reversed(words):
        depth += (word == ")") - (word == "(")
        if depth < 0 or (depth == 0 and word in ("WHERE", "HAVING", "ON")):
            break
        if depth == 0 and word == joined:
            pieces.append([])
        else:
            pieces[-1].append(word)
    conditions: list[list[str]] = []
    for piece in pieces:  # backwards: the AND of BETWEEN joins no conditions
        if joined == "AND" and "BETWEEN" in piece and conditions:
            conditions[-1] += ["AND", *piece]
        else:
            conditions.append(piece)
    return conditions


def _equal_halves(words: Sequence[str]) -> bool:
    """Is a query a set operation whose last two SELECTs are the same?"""
    depth, cuts = 0, [-1]
    for i, word in enumerate(words if not _SETS.isdisjoint(words) else ()):
        depth += (word == "(") - (word == ")")
        if depth == 0 and word in _SETS:
            cuts.append(i)
    if len(cuts) == 1:
        return False
    left, right = words[cuts[-2] + 1 : cuts[-1]], words[cuts[-1] + 1 :]
    return list(left) == list(right[1:] if list(right[:1]) == ["ALL"] else right)
