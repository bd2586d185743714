import type { InProcessSandbox, Key } from '../../src/index.ts';
import { got } from './calls.ts';

/** Returns the domains that a search finds, best first. */
export async function found(at: InProcessSandbox, q: string, key?: Key): Promise<string[]> {
  const path = `/domains/search?q=${encodeURIComponent(q)}`;
  const { domains } = await got<{ domains: { domain: string }[] }>(at, path, key);
  return domains.map(({ domain }) => domain);
}

export async function isAvailable(at: InProcessSandbox, domain: string, key?: Key) {
  return (await got<{ available: boolean }>(at, `/availability?domain=${domain}`, key)).available;
}

/** Imports listings, at 10 USD each unless they have a price. */
export function importListings(at: InProcessSandbox, all: (string | object)[], query: object = {}) {
  const rows = all.map((row) => (typeof row === 'string' ? { domain: row } : row));
  const lines = rows.map((row) => JSON.stringify({ price_cents: 1000, ...row }));
  const body = ReadableStream.from([Buffer.from(lines.join('\n'))]);
  return at.control.upload('/inventory/import', { format: 'ndjson', ...query }, body);
}
