-- A fault for the nth delivery keeps which one that is.

ALTER TABLE faults ADD COLUMN delivery_id TEXT;
