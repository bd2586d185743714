/** When a snapshot was saved is part of the snapshot itself, so that it is one file. */
export const snapshots = `
ALTER TABLE world ADD COLUMN saved_at INTEGER;
`;
