import type { Environment } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import { findOffer } from '../inventory/listings.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import { hasOpenCase } from './cases.ts';

export const INELIGIBILITIES = ['listed', 'active_site', 'open_case'] as const;
export type Ineligibility = (typeof INELIGIBILITIES)[number];

/**
 * Why a domain cannot be acquired through brokerage; empty when it can (specification, GET
 * /brokerage/eligibility). The emulator knows of no sites, so only a magic domain runs one.
 */
export function ineligibilityOf(tx: Tx, environment: Environment, domain: string): Ineligibility[] {
  const reasons: Ineligibility[] = [];
  if (findOffer(tx, environment, domain)) reasons.push('listed');
  if (hasBehavior(environment, domain, 'active_site')) reasons.push('active_site');
  if (hasBehavior(environment, domain, 'open_case') || hasOpenCase(tx, environment, domain)) {
    reasons.push('open_case');
  }
  return reasons;
}
