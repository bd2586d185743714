/** "2026-03-02T09:00:00.000Z" → "2026-03-02 09:00:00Z", for tables. */
export function shortTime(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
