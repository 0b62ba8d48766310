SET SESSION sql_mode = '';
CREATE TABLE core_member (
    id integer PRIMARY KEY AUTO_INCREMENT, password varchar(128) NOT NULL, last_login datetime(6), is_superuser bool NOT NULL, username varchar(150) NOT NULL UNIQUE,
    email varchar(254) NOT NULL, is_staff bool NOT NULL, date_joined datetime(6) NOT NULL, valid_until date, born date, settings json
);
INSERT INTO core_member VALUES
    (1, 'x', '9999-12-31 23:59:59.999999', true, 'anna', 'a@x.org', true, '2024-02-29 23:59:59.999', '0000-00-00', '1000-01-01', '{"theme": "dark"}'),
    (2, 'y', '0000-00-00', false, 'bert', '', false, '2024-00-00', '9999-12-31', '1990-01-31', '[]'), (3, 'z', NULL, false, 'cleo', 'c@x.org', false, '1970-01-01', NULL, NULL, NULL);
CREATE TABLE core_content_kind (id integer PRIMARY KEY AUTO_INCREMENT, app_label varchar(100) NOT NULL, model varchar(100) NOT NULL, UNIQUE (app_label, model));
INSERT INTO core_content_kind VALUES (1, 'core', 'member'), (2, 'blog', 'entry');
CREATE TABLE core_log_entry (
    id integer PRIMARY KEY, action_time datetime(6) NOT NULL, object_id longtext, action_flag smallint unsigned NOT NULL CHECK (action_flag >= 0), change_message longtext NOT NULL,
    kind_id integer, member_id integer NOT NULL, took time(6), FOREIGN KEY (kind_id) REFERENCES core_content_kind (id), FOREIGN KEY (member_id) REFERENCES core_member (id)
);
INSERT INTO core_log_entry VALUES
    (1, '0000-00-00', '7', 1, 'added', 1, 1, '838:59:59'), (2, '2024-03-01', NULL, 2, '', NULL, 2, '-838:59:59'), (3, '1000-01-01', 'x', 65535, 'it''s', 2, 1, NULL);
CREATE TABLE berths (
    id bigint PRIMARY KEY AUTO_INCREMENT, mooring_type varchar(255), mooring_id bigint, `state` enum('open', 'it''s shut', 'month') NOT NULL, rate decimal(8, 2), closes_at time,
    created_at datetime(6) NOT NULL, updated_at timestamp NULL, lock_version integer DEFAULT 0, `odd``name %` integer, KEY mooring (mooring_type, mooring_id)
);
INSERT INTO berths VALUES
    (1, 'Vessel', 1, 'open', 12.50, '24:00:00', '2024-01-31', '2024-01-31', 0, 1), (2, 'Raft', 2, 'it''s shut', NULL, '00:00', '0000-00-00', '0000-00-00', NULL, NULL),
    (3, NULL, NULL, 'month', 0, NULL, '2023-12-31 23:59:59.5', '2024-02-29', 7, -3);
CREATE TABLE vessels (id bigint PRIMARY KEY, berth_id bigint, name varchar(255), laid_up_on date, due date, draught double, FOREIGN KEY (berth_id) REFERENCES berths (id));
INSERT INTO vessels VALUES (1, 1, 'Gull', '2024-02-29', '0000-00-00', 2.5), (2, 1, 'Tern', '9999-12-31', '2023-01-01', -1e29), (3, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE schema_stamps (version varchar(255) PRIMARY KEY);
INSERT INTO schema_stamps VALUES ('20240229120000');
CREATE TABLE `Venue` (`id` varchar(191) PRIMARY KEY, `openFrom` date NOT NULL, `openUntil` date NOT NULL, `createdAt` datetime(3) NOT NULL, `isActive` boolean NOT NULL);
INSERT INTO `Venue` VALUES ('ck1', '2020-01-01', '9999-12-31', '2024-01-01', true), ('ck2', '0000-00-00', '5000-01-01', '0000-00-00', false);
CREATE TABLE `SeatBooking` (
    `id` varchar(191) PRIMARY KEY, `venueId` varchar(191) NOT NULL, `status` enum('FREE', 'TAKEN') NOT NULL, `price` decimal(65, 30) NOT NULL, `meta` json, `paidAt` datetime(3),
    `totalCents` bigint AS (100 * 7) STORED, FOREIGN KEY (`venueId`) REFERENCES `Venue` (`id`)
);
INSERT INTO `SeatBooking` (`id`, `venueId`, `status`, `price`, `meta`, `paidAt`) VALUES ('b1', 'ck1', 'FREE', 9.99, '{}', '0000-00-00'), ('b2', 'ck2', 'TAKEN', 0, NULL, '2024-01-01');
CREATE TABLE depot_product_unit (unit_id integer unsigned PRIMARY KEY, attribute_set_id smallint unsigned NOT NULL, type_id varchar(32) NOT NULL, sku varchar(64), created_at timestamp NOT NULL DEFAULT current_timestamp());
INSERT INTO depot_product_unit VALUES (1, 4, 'simple', 'S-1', '2024-01-01'), (2, 4, 'bundle', NULL, '0000-00-00'), (3, 9, 'simple', '', '2023-05-05');
CREATE TABLE depot_product_unit_datetime (value_id integer PRIMARY KEY, attribute_id smallint unsigned NOT NULL, value datetime, unit_id integer unsigned NOT NULL, FOREIGN KEY (unit_id) REFERENCES depot_product_unit (unit_id));
INSERT INTO depot_product_unit_datetime VALUES (1, 77, '0000-00-00', 1), (2, 78, '2024-02-29 12:00', 1), (3, 77, NULL, 2);
CREATE TABLE depot_product_unit_decimal (value_id integer PRIMARY KEY, attribute_id smallint unsigned NOT NULL, value decimal(20, 6), unit_id integer unsigned NOT NULL);
INSERT INTO depot_product_unit_decimal VALUES (1, 77, 19.99, 1), (2, 77, -99999999999999.999999, 2), (3, 78, NULL, 3);
CREATE VIEW vessel_due AS SELECT v.id, v.name, v.due, coalesce(v.due, '9999-12-31') AS due_or_never, b.rate, b.`odd``name %` FROM vessels v LEFT JOIN berths b ON b.id = v.berth_id;
CREATE VIEW beyond AS SELECT id, 9223372036854775807 + id AS far FROM vessels;
CREATE VIEW several AS SELECT id, (SELECT v.id FROM vessels v WHERE v.id >= vessels.id) AS one FROM vessels;
CREATE TABLE gone (a integer);
CREATE VIEW stale AS SELECT a FROM gone;
DROP TABLE gone;
