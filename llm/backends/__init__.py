"""Back ends that run a language model: a local process or a server."""
