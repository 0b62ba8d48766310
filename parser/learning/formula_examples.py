"""Training examples with formulas: in a gold query each sub-expression that equals a formula becomes its word.

SELECT name, 1.0 * (sales - costs) / sales FROM shops       SELECT name, shops.margin FROM shops
SELECT COUNT(*) FROM workers WHERE age < 18                 SELECT COUNT(*) FROM workers WHERE status = 'minors'
"""

from collections.abc import Iterable, Iterator, Sequence

import sqlglot
from sqlglot import exp

from ...data.domains.collection import Pair
from ...data.errors import QuerentError
from ...encoders import Encoder
from ...grammar import Grammar
from ...knowledge.linked_formulas import LinkedFormula
from ...ner.language.question import QuestionText
from ..normal_form import NormalForm, ShortForm
from ..reader.context import DatabaseContext
from ..reader.formula_items import Offered, offered
from ..reader.question import read_question
from .training_examples import TrainingExample, training_example_of


def formula_examples(
    pairs: Iterable[tuple[Pair, Sequence[LinkedFormula], DatabaseContext]], encoder: Encoder
) -> tuple[list[list[TrainingExample]], int]:
    """Return the examples of pairs with their gold formulas, and the number of pairs that have no example."""
    found: list[list[TrainingExample]] = []
    missing = 0
    for pair, needed, context in pairs:
        try:
            example = _example(pair, needed, context, encoder)
        except (QuerentError, KeyError):  # no normal form, or a word that no network writes
            example = None
        missing += example is None
        found += [] if example is None else [[example]]
    return found, missing


def _example(
    pair: Pair, needed: Sequence[LinkedFormula], context: DatabaseContext, encoder: Encoder
) -> TrainingExample | None:
    """Return an example in which formulas are words; None where the query does not have one of them."""
    text, normal = QuestionText(pair.question, context.language), NormalForm(context.grammar).of(pair.sql)
    values = context.values(text)
    words = context.short.words(normal)
    if items := offered(context, needed):
        written = _with_formulas(normal, items.offers)
        if written is None:
            return None
        context, values = items.context, items.values(values)
        grammar = Grammar.for_schema(context.items.schema, dialect=context.grammar.dialect)
        words = ShortForm(grammar).words(NormalForm(grammar).of(written))
    question = read_question(text, values, encoder)
    return training_example_of(pair.id, question, words, context.outputs)


def _with_formulas(normal: str, offers: Sequence[Offered]) -> str | None:
    """Return a query in normal form with words in the place of formulas; None where one is not in it."""
    tree = sqlglot.parse_one(normal, read="sqlite")
    for one in offers:
        column = exp.column(one.column, one.expression.tables[0], quoted=True)
        word = column if one.value is None else exp.EQ(this=column, expression=exp.Literal.string(one.value.value))
        if not any(_put(tree, expression, word) for expression in _written(one)):
            return None
    return tree.sql(dialect="sqlite")


def _written(one: Offered) -> Iterator[list[exp.Expr]]:
    """Yield the forms of a formula, the longer ones first; a condition has one form, its conjuncts."""
    for by_row in (False, True):
        trees = [_plain(sqlglot.parse_one(text, read="sqlite")) for text in one.expression.sql("sqlite", by_row=by_row)]
        if not trees:
            continue
        if one.value is not None:
            yield list(trees[0].flatten()) if isinstance(trees[0], exp.And) else trees
            return
        yield trees
        if len(trees) > 1:
            whole: exp.Expr = trees[0]
            for tree in trees[1:]:
                whole = exp.Add(this=whole, expression=tree)
            yield [whole]


def _put(tree: exp.Expr, wanted: list[exp.Expr], word: exp.Expr) -> bool:
    """Replace an expression, or several side by side, by a word; return whether it was found."""
    if len(wanted) == 1:
        found = tree.find_all(type(wanted[0]), exp.Mul, exp.Div, exp.Cast, exp.Paren)
        places = [node for node in found if _plain(node) == wanted[0]]
        for node in places:  # the outer ones first: what was in them is not in the tree any more
            node.replace(word.copy())
        return bool(places)
    for holder in tree.find_all(exp.Select, exp.And):
        among = list(holder.expressions) if isinstance(holder, exp.Select) else list(holder.flatten())
        plain = [_plain(node) for node in among]
        if any(one not in plain for one in wanted) or isinstance(holder.parent, exp.And):
            continue
        first, *others = [among[plain.index(one)] for one in wanted]
        kept = [word.copy() if node is first else node for node in among if all(node is not other for other in others)]
        if isinstance(holder, exp.Select):
            holder.set("expressions", kept)
        else:
            holder.replace(exp.and_(*(node.copy() for node in kept), wrap=False))
        return True
    return False


def _plain(node: exp.Expr) -> exp.Expr:
    """Return an expression without brackets, casts and factors for decimals, and guards against zero."""
    whole = exp.select(node.copy())
    for inner in reversed(list(whole.expressions[0].walk())):  # parts before what holds them
        plain = _bare(inner)
        if plain is not inner:
            inner.replace(plain)
    return whole.expressions[0]


def _bare(node: exp.Expr) -> exp.Expr:
    """Return the plain form of a node whose parts are plain."""
    if isinstance(node, (exp.Paren, exp.Cast, exp.Nullif)):
        return node.this.copy()
    if isinstance(node, exp.Mul) and (_is_one(node.this) or _is_one(node.expression)):
        return (node.expression if _is_one(node.this) else node.this).copy()
    made: exp.Expr = node
    if isinstance(node, exp.Div):
        made = exp.Div(this=node.this.copy(), expression=node.expression.copy())
    elif isinstance(node, exp.Column):
        made = exp.column(node.name.lower(), node.table.lower())
    elif isinstance(node, exp.Count) and not isinstance(node.this, exp.Distinct):
        made = exp.Count(this=exp.Star())
    elif isinstance(node, exp.Literal) and not node.is_string:
        made = exp.Literal.number(f"{float(node.name):g}")
    return made


def _is_one(node: object) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and float(node.name) == 1
