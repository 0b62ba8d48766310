"""The local constraint masks the next word, within a budget of words and the words that a question may use."""
