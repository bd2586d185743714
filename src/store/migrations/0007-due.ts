/** With the state in front, what is due first is found without looking at all that is pending. */
export const due = `
DROP INDEX deliveries_due;
CREATE INDEX deliveries_due ON deliveries (status, next_attempt_at);
`;
