/** `add`: what exists is a bad line; `replace`: what is not in the file goes; `upsert`: what exists is changed. */
export const IMPORT_MODES = ['add', 'replace', 'upsert'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];
