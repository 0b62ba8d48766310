-- PostgreSQL's UUIDs: keys of many schemas, which compare with themselves and with texts that are UUIDs.
-- on: postgres

-- tables: shop(id UUID, town TEXT) sale(id UUID, shop_id UUID, price INTEGER)

SELECT town FROM shop JOIN sale ON shop.id = shop_id
SELECT town FROM shop WHERE shop.id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
SELECT town FROM shop WHERE shop.id IN ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', NULL)
SELECT town FROM shop WHERE shop.id IN (SELECT shop_id FROM sale)
SELECT shop_id, MAX(price) FROM sale GROUP BY shop_id ORDER BY shop_id
SELECT COUNT(DISTINCT shop_id) FROM sale
SELECT n.value1 FROM (SELECT shop_id, COUNT(*) AS value1 FROM sale GROUP BY shop_id) AS n
SELECT shop.id FROM shop EXCEPT SELECT shop_id FROM sale
SELECT CAST('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' AS UUID)

-- no other text is one
SELECT town FROM shop WHERE shop.id = »'x'
SELECT town FROM shop WHERE shop.id = »town
SELECT town FROM shop JOIN sale ON shop.id = »price
SELECT CAST('x' AS »UUID)
SELECT MAX(sale.id») FROM sale
