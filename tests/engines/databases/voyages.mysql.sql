-- A column of each kind that a profile tells apart.
CREATE TABLE `Crew` (`crewId` INTEGER AUTO_INCREMENT PRIMARY KEY, `fullName` TEXT);
INSERT INTO `Crew` (`fullName`) VALUES ('Ada Low'), ('Bo Ek'), ('Cy Day');
CREATE TABLE voyage (id BIGINT PRIMARY KEY, `crewId` INTEGER REFERENCES `Crew` (`crewId`), left_on DATE,
    back_at TIMESTAMP NULL, watch TIME, insured BOOLEAN, toll DECIMAL(8, 2), fuel VARCHAR(20), rated ENUM('low', 'high'),
    log JSON, chart BLOB, tags BIT(1), `key` CHAR(36), ends VARCHAR(20), built YEAR);
INSERT INTO voyage VALUES
    (1, 1, '2021-03-04', '2021-03-09 10:00', '04:00', TRUE, 1200.50, '1,200 l', 'low', '[1]', X'00', b'1',
     '11111111-1111-1111-1111-111111111111', '13/02/2022', 1999),
    (2, 1, '2022-12-31', NULL, '08:00', FALSE, 900, '90 l', 'high', NULL, NULL, b'0', NULL, '01/03/2022', 2004);
