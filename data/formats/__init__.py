"""Readers of domain folders and of the public text-to-SQL sets; each module has ``read(path, …) -> Domain``.

To add a format, write such a module and name it in ``FORMATS`` of `data.domains.loading`.
"""
