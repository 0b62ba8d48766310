"""What is known of tables and columns before anything is drawn: nouns, kinds, links, what people do to them."""
