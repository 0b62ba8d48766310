"""Proxy benchmarks: questions, dialogues and clarifications over thirty databases that this project made up.

After EFRAG (JACS 2023), whose ProxySpider, ProxySParC and ProxyCoSQL stand for what users ask of business data. A field
(`content`, `fields/`) tells things and their columns; `layouts` makes three databases of it, `rows` fills them;
`templates` and `moves` are what people say, `draws` fills their slots, `queries` writes the gold query. `questions`,
`dialogues` and `doubts` draw the three sets, `writing` leaves them in a folder laid out as Spider's. `systems` asks
them, `figures` counts. `rivals` changes databases of others so that a question has two readings, as AmbiQT does.
"""
