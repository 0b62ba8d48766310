"""Querent for other programs: HTTP, a page, tools of the Model Context Protocol."""
