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

/** Imports names at 10 USD each. */
export function importNames(at: InProcessSandbox, names: string[], query: object = {}) {
  const csv = ['domain,price_cents', ...names.map((name) => `${name},1000`)].join('\n');
  const body = ReadableStream.from([Buffer.from(csv)]);
  return at.control.upload('/inventory/import', { format: 'csv', ...query }, body);
}
