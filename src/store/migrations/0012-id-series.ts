/** Which series the ids of a world belong to; 0 is that of the ids before there were series. */
export const idSeries = `
ALTER TABLE world ADD COLUMN id_series INTEGER NOT NULL DEFAULT 0;
`;
