import magicDomains from '../../../fixtures/magic-domains.json' with { type: 'json' };
import type { Environment } from '../../store/schema/enums.ts';

/** `MAGIC_FAULTS` has those that act on every request for the domain. For the code of another, search for its name. */
type MagicBehavior =
  | 'price_moves'
  | 'quote_expires'
  | 'held_order'
  | 'auto_complete'
  | 'sold_meanwhile'
  | 'reserved'
  | 'rate_limited'
  | 'server_error'
  | 'slow'
  | 'lost_response'
  | 'active_site'
  | 'open_case';

export interface MagicDomain {
  domain: string;
  behavior: MagicBehavior;
  listed: boolean;
  /** Whether it can be sold repeatedly. */
  resold: boolean;
  price_cents: number;
  description: string;
}

export const MAGIC_CATEGORY = 'Magic';

export const MAGIC_DOMAINS = magicDomains as readonly MagicDomain[];

const byDomain = new Map(MAGIC_DOMAINS.map((magic) => [magic.domain, magic]));

/** Returns the magic domain of this name. LIVE has none. */
export function magicOf(environment: Environment, domain: string): MagicDomain | undefined {
  return environment === 'SANDBOX' ? byDomain.get(domain) : undefined;
}

export function hasBehavior(
  environment: Environment,
  domain: string,
  behavior: MagicBehavior,
): boolean {
  return magicOf(environment, domain)?.behavior === behavior;
}
