"""Readers of domain folders and of the public text-to-SQL sets; each module has ``read(path, …) -> Domain``.

To add a format, write such a module and name it in `data.domain`: in ``FORMATS`` and in `load_domain`.
"""
