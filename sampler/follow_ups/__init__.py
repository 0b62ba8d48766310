"""Follow-ups to questions that people wrote: what changes in the query, and how people say so.

`changed_query` is a query taken apart; `conditions` change which rows it is about, `shown` what it tells of them,
`corrections` take a part of it back, `groups` by what they are split, `nested` ask on about the best of them;
`dialogues` makes one follow the other.
"""

from __future__ import annotations

from .dialogues import CHANGES, FollowUp, follow_ups

__all__ = ["CHANGES", "FollowUp", "follow_ups"]
