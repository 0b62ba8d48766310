"""What a question needs, and how sure an answer is: heads over a reader's states, and what is made of their scores.

Everything here takes arrays and knows no reader: who has states of words and of schema items can use it.
"""
