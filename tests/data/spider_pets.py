"""A database as Spider's ``tables.json`` tells it."""

PETS = {
    "db_id": "pets",
    "table_names": ["student", "has pet"],
    "table_names_original": ["Student", "Has_Pet"],
    "column_names": [[-1, "*"], [0, "student id"], [0, "last name"], [0, "age"], [1, "student id"], [1, "pet"]],
    "column_names_original": [[-1, "*"], [0, "StuID"], [0, "LName"], [0, "Age"], [1, "StuID"], [1, "Pet"]],
    "column_types": ["text", "number", "text", "number", "number", "text"],
    "primary_keys": [1],
    "foreign_keys": [[4, 1], [4, 1]],
}
