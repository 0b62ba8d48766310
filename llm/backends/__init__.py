"""Back ends that run a language model: a local process, a server, or a file of recorded replies."""
