"""Files of tables as databases: CSV, TSV, Excel and Parquet become tables of a SQLite file in the user's cache."""
