"""Those that run a language model: a process of one's own, a server, a file of recorded answers."""
