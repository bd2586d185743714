import type { InProcessSandbox, Key } from '../../src/index.ts';
import { answered } from './answers.ts';

/** Returns the domains that a search finds, best first. */
export async function found(at: InProcessSandbox, q: string, key?: Key): Promise<string[]> {
  const target = `/api/partner/v1/domains/search?q=${encodeURIComponent(q)}`;
  const answer = await at.call({ method: 'GET', target }, key);
  const { domains } = await answered<{ domains: { domain: string }[] }>(answer, 200);
  return domains.map(({ domain }) => domain);
}
