"""From scores to queries: beam search under the local constraint. None of its modules imports torch."""
