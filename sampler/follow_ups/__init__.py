"""Follow-ups to questions that people wrote: edits of the query, and the utterances that ask for them.

`changed_query` is a query in parts; `conditions` edits its rows, `shown` its outputs, `groups` its grouping;
`corrections` withdraws a part, `nested` asks about the best of its rows, and `dialogues` chains the follow-ups.
"""

from .dialogues import CHANGES, FollowUp, follow_ups

__all__ = ["CHANGES", "FollowUp", "follow_ups"]
