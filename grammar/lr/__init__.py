"""The grammar of a dialect as an LALR(1) table of integers, which Lark builds from the ``.lark`` files."""
