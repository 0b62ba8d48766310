"""Where one engine takes names otherwise than the others: a module of facts for each."""
