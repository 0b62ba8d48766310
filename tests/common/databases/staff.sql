-- Departments and employees: the two tables refer to each other, and employee to itself.
CREATE TABLE department (code TEXT PRIMARY KEY, name TEXT, head INTEGER REFERENCES employee (id));
CREATE TABLE employee (
    id INTEGER PRIMARY KEY, name TEXT, salary REAL, boss INTEGER REFERENCES employee (id),
    department TEXT REFERENCES department (code), active BOOLEAN
);
INSERT INTO department VALUES ('R1', 'Research', 1), ('S1', 'Sales', 3);
INSERT INTO employee VALUES (1, 'Ada', 90.5, NULL, 'R1', 1), (2, 'Grace', 80, 1, 'R1', 1), (3, 'Linus', 50, 1, 'S1', 0);
