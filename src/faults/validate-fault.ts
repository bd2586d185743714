import { statusProblem } from './fault-effects.ts';
import {
  type FaultKind,
  type FaultMatch,
  type FieldTable,
  givenFields,
  MATCHERS,
  REQUEST_EFFECTS,
  type RequestEffect,
  WEBHOOK_EFFECTS,
  type WebhookEffect,
} from './fault-fields.ts';
import { leadsTo, type Reachable } from './fault-path.ts';

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
  if (webhook) {
    return (
      tableIssue('webhook', 'webhook', WEBHOOK_EFFECTS, webhook) ??
      tableIssue('match', 'webhook', MATCHERS, match)
    );
  }
  if (!effect) return issue('effect', 'is required, or `webhook` for a fault of webhooks');
  const problem = statusProblem(effect);
  if (problem !== undefined) return issue('effect.status', problem);
  return (
    tableIssue('effect', 'request', REQUEST_EFFECTS, effect) ??
    tableIssue('match', 'request', MATCHERS, match) ??
    endpointIssue(match, endpoints)
  );
}

function tableIssue(
  at: 'match' | 'effect' | 'webhook',
  kind: FaultKind,
  table: FieldTable,
  values: object,
): ValidationIssue | undefined {
  const fields = givenFields(table, values);
  const isGiven = (wanted: string) => fields.some(({ name }) => name === wanted);
  for (const { name, row } of fields) {
    const { only = kind, needs, conflicts } = row;
    const path = `${at}.${name}`;
    if (only !== kind) return issue(path, `is for faults of ${only}s`);
    if (needs !== undefined && !isGiven(needs)) return issue(path, `requires ${quoted([needs])}`);
    const conflict = conflicts?.find(isGiven);
    if (conflict !== undefined) return issue(path, `cannot be combined with ${quoted([conflict])}`);
  }
  if (fields.length > 0 || at === 'match') return undefined;
  const names = Object.keys(table).filter((name) => table[name]?.needs === undefined);
  return issue(at, `needs at least one of ${quoted(names)}`);
}

/** Returns the issue of a match that no endpoint has. */
function endpointIssue(
  { method, path }: FaultMatch,
  endpoints: readonly Reachable[],
): ValidationIssue | undefined {
  const reached = endpoints.filter(
    (endpoint) => path === undefined || leadsTo(path, endpoint.path),
  );
  if (reached.length === 0)
    return issue(
      'match.path',
      `no endpoint matches ${path}; pass the path of one, such as /orders`,
    );
  const methods = new Set(reached.map((endpoint) => endpoint.method));
  if (method === undefined || methods.has(method)) return undefined;
  const others = [...methods].join(' or ');
  return issue('match.method', `no endpoint matches ${method} ${path}; use ${others}`);
}

/** Formats names of fields. */
function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function issue(path: string, message: string): ValidationIssue {
  return { path: path.split('.'), message };
}
