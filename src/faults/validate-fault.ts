import {
  REQUEST_EFFECTS,
  type RequestEffect,
  type RequestEffectRow,
  WEBHOOK_EFFECTS,
  type WebhookEffect,
} from './fault-effects.ts';
import { type FieldRow, givenFields } from './fault-fields.ts';
import {
  type FaultKind,
  type FaultMatch,
  FILTERS,
  fieldsFor,
  MATCHERS,
  type MatcherRow,
} from './fault-matchers.ts';
import type { Reachable } from './path-pattern.ts';

/** A fault of which each field is valid by itself. */
export interface FaultInput {
  match: FaultMatch;
  effect?: RequestEffect | undefined;
  webhook?: WebhookEffect | undefined;
  times?: number | undefined;
}

interface ValidationIssue {
  path: string[];
  message: string;
}

/** Returns the first issue with the combination of the fields. */
export function validateFault(
  { match, effect, webhook }: FaultInput,
  endpoints: readonly Reachable[],
): ValidationIssue | undefined {
  if (effect && webhook) {
    return issue(
      'webhook',
      'pass either `effect` or `webhook`: a fault applies to requests or to webhooks',
    );
  }
  if (effect) {
    return (
      validateEffect('effect', REQUEST_EFFECTS, effect) ??
      validateMatch('request', match, endpoints)
    );
  }
  if (webhook) {
    return (
      validateEffect('webhook', WEBHOOK_EFFECTS, webhook) ??
      validateMatch('webhook', match, endpoints)
    );
  }
  return issue('effect', 'is required, or `webhook` for a fault of webhooks');
}

function validateEffect(
  at: 'effect' | 'webhook',
  table: Readonly<Record<string, RequestEffectRow>>,
  effect: object,
): ValidationIssue | undefined {
  const fields = givenFields(table, effect);
  for (const { name, row, value } of fields) {
    const message = combinationIssue(row, effect) ?? row.check?.(value, effect as never);
    if (message) return issue(`${at}.${name}`, message);
  }
  if (fields.length > 0) return undefined;
  const names = Object.keys(table).filter((name) => table[name]?.needs === undefined);
  return issue(at, `needs at least one of ${quoted(names)}`);
}

function validateMatch(
  kind: FaultKind,
  match: FaultMatch,
  endpoints: readonly Reachable[],
): ValidationIssue | undefined {
  for (const { name, row, value } of givenFields<MatcherRow>(MATCHERS, match)) {
    const message =
      kindIssue(kind, row) ??
      combinationIssue(row, match) ??
      row.check?.(value, match as never, endpoints);
    if (message) return issue(`match.${name}`, message);
  }
  return undefined;
}

function kindIssue(kind: FaultKind, { only = kind }: MatcherRow): string | undefined {
  if (only === kind) return undefined;
  return `is for faults of ${only}s; a fault of ${kind}s has ${quoted(Object.keys(fieldsFor(kind, FILTERS)))}`;
}

function combinationIssue({ needs, conflicts }: FieldRow, values: object): string | undefined {
  const valueByName = values as Readonly<Record<string, unknown>>;
  const isGiven = (name: string) => (valueByName[name] ?? false) !== false;
  if (needs !== undefined && !isGiven(needs)) return `requires ${quoted([needs])}`;
  if (!conflicts?.with.some(isGiven)) return undefined;
  return `${conflicts.because}; leave out ${quoted(conflicts.with)}`;
}

/** Names of fields in backticks: the command line shows its options in their place. */
function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function issue(path: string, message: string): ValidationIssue {
  return { path: path.split('.'), message };
}
