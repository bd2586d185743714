-- Each index costs each order a page of the write-ahead log. These saved a scan of a partner's rows.

DROP INDEX listings_sold;
DROP INDEX orders_by_status;
DROP INDEX orders_by_domain;
CREATE INDEX orders_by_domain ON orders (domain);
DROP INDEX events_of_partner;
DROP INDEX events_about;
CREATE INDEX events_about ON events (subject_id);
