import { normaliseDomain } from '../kernel/domain-name.ts';
import type { CallEffect } from '../store/schema/faults.ts';
import type { Tx } from '../store/transaction.ts';
import { isOnPath, type Reachable } from './path-pattern.ts';
import { type CallRule, standingRules } from './standing-rules.ts';
import { strikes } from './strike.ts';

/** What a rule can know a call of the partner API by. */
export interface CallFacts {
  endpoint: Reachable;
  /** Decoded path parameters. */
  params: Record<string, string>;
  /** Whatever the call may mean as a domain. */
  domains: readonly string[];
  keyId: string;
}

/** A rule that acted, and what it did: for whoever explains an answer. */
export interface FaultHit {
  fault_id: string;
  effect: CallEffect;
}

/** The first rule that acts on a call; each that it was asked of has counted it. */
export function meetCall(tx: Tx, call: CallFacts): FaultHit | undefined {
  const { calls } = standingRules(tx);
  if (calls.length === 0) return undefined;
  for (const rule of calls) {
    if (isAbout(rule, call) && strikes(tx, rule)) {
      return { fault_id: rule.faultId, effect: rule.effect };
    }
  }
  return undefined;
}

function isAbout({ match, path }: CallRule, { endpoint, params, domains, keyId }: CallFacts) {
  if (match.method !== undefined && match.method !== endpoint.method) return false;
  if (match.key_id !== undefined && match.key_id !== keyId) return false;
  if (path && !isOnPath(path, endpoint.path, calledPath(endpoint.path, params))) return false;
  if (match.domain === undefined) return true;
  return domains.some((name) => normaliseDomain(name) === match.domain);
}

function calledPath(path: string, params: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (whole, name: string) => params[name] ?? whole);
}
