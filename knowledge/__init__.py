"""What people tell beside a database: solved questions, found by what they ask."""
