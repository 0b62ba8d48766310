"""What answers questions over HTTP: a server with an interface of JSON, and a page for people."""
