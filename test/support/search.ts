import type { InProcessSandbox, Key } from '../../src/index.ts';
import { answered } from './responses.ts';

/** Returns the domains that a search finds, best first. */
export async function found(at: InProcessSandbox, q: string, key?: Key): Promise<string[]> {
  const target = `/api/partner/v1/domains/search?q=${encodeURIComponent(q)}`;
  const response = await at.call({ method: 'GET', target }, key);
  const { domains } = await answered<{ domains: { domain: string }[] }>(response, 200);
  return domains.map(({ domain }) => domain);
}
