-- Loans: days in three ways, a flag of letters, fines as texts.
CREATE TABLE loan (id INTEGER PRIMARY KEY, taken TEXT, due_dmy TEXT, seen INTEGER, back TEXT, vip TEXT, fine TEXT,
    reader TEXT);
INSERT INTO loan VALUES
    (1, '2023-05-02', '09/05/2023', 1683072000, '2023-05-20', 'Y', '$1,200.50', 'Ann'),
    (2, '2023-11-30', '01/12/2023', 1701388800, NULL, 'N', '$80', 'Bo'),
    (3, '2024-02-29', '10/03/2024', 1709251200, '2024-03-09', 'N', 'n/a', 'Ann'),
    (4, '2024-06-17', '02/07/2024', 1718668800, NULL, 'Y', '$9.90', 'Cy');
