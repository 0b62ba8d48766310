"""How many tokens a text still needs to its end, at most: what keeps a query within the tokens that it may have."""

from collections.abc import Callable, Iterable

from ..types.abstract_values import NEVER
from ..vocabulary.vocabulary import EOS, Word, split_name
from .boundaries import MAX_NAME, At, TextReading
from .spelling.lexicon import IDENTIFIER
from .spelling.words import SLOTS
from .text import SqlText


class Endings:
    """Reckons with the shortest ways out of the constraint, each word spelled at its longest.

    Args:
        text: which byte may come next.
        count: the fewest tokens that spell some bytes, None if none do.
        made_up: the most tokens that a name takes which one token may make up.

    Attributes:
        word: the tokens of the longest word, with the space before it, where no long names have been made up.
        begun: the most that a word may still take when tokens have spelled a part of it as badly as may be.
    """

    def __init__(self, text: SqlText, count: Callable[[bytes], int | None], made_up: int) -> None:
        self._text = text
        self._made_up = made_up + 1  # with the space before it
        self._count = count
        self._known: dict[object, int] = {}
        self._rests: dict[str, int] = {}
        words = text.inventory.vocabulary.words[EOS + 1 :]
        write = text.inventory.grammar.quoting.write
        columns = [write(column.name) for _, column in text.inventory.grammar.schema.columns()]
        self._column = max(map(self._spelled, columns), default=0)
        self._column_begun = max(map(self._rest, columns), default=0)
        # the shortest way out may make up names, too: as many as there are slots, the shortest that need no AS
        short = sorted(filter(self._spelled, text.inventory.aliases), key=self._spelled)[:SLOTS]
        called, begun = (max(map(tokens, short), default=0) for tokens in (self._spelled, self._rest))
        self.word = max(1, self._column_of(called), *map(self._whole, words))
        self.begun = max(1, begun + max(self._column_begun, begun), *map(self._longest, words))
        # of what stands behind, a word's last token may spell the first bytes, and the rest take as many as all of it
        self._behind = max(self._tokens(text.behind[n:]) + (n > 0) for n in range(len(text.behind) + 1)) + 1

    def clear(self) -> None:
        """Forget what was reckoned."""
        self._known.clear()

    def least(self, readings: Iterable[TextReading]) -> int:
        """Return how many tokens are enough to end, that of the end itself among them; `NEVER` if none are."""
        return min((self._of(reading) for reading in readings), default=NEVER)

    def words(self, reading: TextReading, tokens: int) -> int:
        """Return how many words are sure to be no more than so many tokens, and the end, where a reading stands.

        The next token may leave its word begun; those behind it are spelled as one likes. -1 if not even the end fits.
        """
        left = tokens - self._behind
        behind_one = left - self._begun_of(reading)
        longest = max(self._word_of(reading), self._column_of(self._made_up))  # the next token may make up a name
        return 1 + behind_one // longest if behind_one >= 0 else min(left, 0)

    def _word_of(self, reading: TextReading) -> int:
        """Return the tokens of the longest word that a reading may still need: a column of a name that it made up."""
        return max(self.word, self._column_of(self._called(reading, self._spelled)))

    def _column_of(self, called: int) -> int:
        """Return the tokens of the longest column of a source whose name takes so many, a space before it counted."""
        return called + 1 + max(self._column, called) if called else 0

    def _begun_of(self, reading: TextReading) -> int:
        called = self._called(reading, self._rest)
        return max(self.begun, called + max(self._column_begun, called))

    def _called(self, reading: TextReading, tokens: Callable[[str], int]) -> int:
        """Return the tokens of the longest name that a reading has made up; one that it is at may grow by a token."""
        growing = reading.free and reading.at == At.NAME
        called = max(map(tokens, reading.names), default=0)
        return max(called, tokens(reading.text.decode()) + 1) if growing else called

    def _whole(self, word: Word) -> int:
        """Return the tokens of a word, and one for a space before it."""
        if word.terminal in {"WHOLE", "NUMBER"}:
            return 4  # a space, 0, a point and a digit are enough of any
        return self._spelled(word.text.lower() if word.kind in {"keyword", "function"} else word.text)

    def _spelled(self, part: str) -> int:
        found = self._tokens(part.replace("\x01", "T").encode())
        return found + 1 if found < NEVER else 0

    def _longest(self, word: Word) -> int:
        """Return the most tokens that a word or the rest of it takes at its shortest, with the space before it."""
        if word.terminal in {"WHOLE", "NUMBER"}:
            return 4  # a space, 0, a point and a digit: of a longer number the rest may be left out
        text = word.text.lower() if word.kind in {"keyword", "function"} else word.text
        column = split_name(text)[1] if word.terminal in {"QCOLUMN", "QSTAR"} else ""
        return self._rest(text.removesuffix(column)) + (self._rest(column) if column else 0)

    def _rest(self, part: str) -> int:
        """Return the most tokens that what is left of a name takes, and a space; 0 if it cannot be spelled."""
        if part not in self._rests:
            text = part.replace("\x01", "T").encode()
            found = max((self._tokens(text[n:]) for n in range(len(text))), default=0)
            self._rests[part] = found + 1 if found < NEVER else 0
        return self._rests[part]

    def _tokens(self, text: bytes) -> int:
        if not text:
            return 0
        found = self._count(text)
        return NEVER if found is None else found

    def _of(self, reading: TextReading) -> int:
        state = reading.state
        within = min(state.left, state.next_words.known.most) if reading.at == At.NAME or reading.at >= 0 else 0
        key = (state.next_words, within, *reading[1:])  # which word is being written hangs on how many may come
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._reckoned(reading)
        return found

    def _reckoned(self, reading: TextReading) -> int:
        text, state = self._text, reading.state
        match reading.at:
            case At.GAP:
                spaced = reading.size > 0 and state.least > 0  # the first word's space is written
                return state.least * self._word_of(reading) + self._behind - spaced
            case At.BEHIND:
                return self._tokens(text.behind[reading.size :]) + 1
            case At.BEFORE:
                return self._tokens(text.before[reading.size :]) + state.least * self._word_of(reading) + self._behind
            case At.TEXT | At.QUOTED:
                free = text.spelling.free
                closing = 0 if reading.at == At.QUOTED else 1 + 3 * bool(reading.text)
                return closing + self._then(reading, free) if free is not None else NEVER
            case At.NAME:
                return self._name(reading)
            case _:
                return self._word(reading)

    def _then(self, reading: TextReading, word: int) -> int:
        """Return the tokens behind a word that is written."""
        need = reading.state.need(word)
        return (need - 1) * self._word_of(reading) + self._behind if need < NEVER else NEVER

    def _name(self, reading: TextReading) -> int:
        text = self._text
        rests = [name.encode()[len(reading.text) :] for name in text.aliases.names(reading, reading.text)]
        best = min((self._named(reading, rest) for rest in (b"", *filter(None, rests))), default=NEVER)
        if best == NEVER and text.aliases.any_name(reading):  # «user» is none, and «user_» is
            longer = (self._named(reading, bytes([byte])) for byte in sorted(IDENTIFIER))
            best = next((found for found in longer if found < NEVER), NEVER)
        return best

    def _named(self, reading: TextReading, rest: bytes) -> int:
        """Return the tokens of the rest of a name, and of the shortest way out behind it or behind a point after it."""
        text, whole = self._text, reading._replace(text=reading.text + rest)
        if len(whole.text) > MAX_NAME:
            return NEVER
        ended = [self._of(after) for after in text.ended(whole)]
        pointed = text.step((whole,), ord(".")) if reading.owner < 0 else ()
        return min(
            NEVER, self._tokens(rest) + min([*ended, *(1 + self._of(after) for after in pointed)], default=NEVER)
        )

    def _word(self, reading: TextReading) -> int:
        """Return the tokens of the shortest way out of a node of the lexicon."""
        text = self._text
        here = text.boundaries.at(reading.state)
        lexicon, owner = text.lexicon, text.owners.get(reading.at)
        # behind a point a name may be one that a derived table calls its column by
        best = NEVER if owner is None else self._name(reading._replace(at=At.NAME, owner=owner))
        layer: dict[int, bytes] = {reading.at: b""}
        seen = {reading.at}  # texts of a kind may go round in circles
        while layer:
            for node, written in layer.items():
                for word in lexicon.ends[node]:
                    if reading.state.allowed()[word]:
                        best = min(best, self._tokens(written) + self._then(reading, word))
            # of letters in both cases the last is the small one
            layer = {
                after: written + bytes([byte])
                for node, written in layer.items()
                for byte, after in sorted(lexicon.edges[node].items())
                if here.alive[after] and after not in seen
            }
            seen.update(layer)
        return best
