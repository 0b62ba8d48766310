"""The grammar of a dialect as an LALR(1) table: Lark reads the ``.lark`` files, integers leave."""
