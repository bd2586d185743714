import { statusProblem } from './fault-effects.ts';
import {
  type FaultKind,
  type FaultMatch,
  type FieldTable,
  fieldsWithValue,
  MATCHERS,
  REQUEST_EFFECTS,
  type RequestEffect,
  WEBHOOK_EFFECTS,
  type WebhookEffect,
} from './fault-fields.ts';
import { type EndpointRoute, pathMatches } from './fault-path.ts';

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
  endpoints: readonly EndpointRoute[],
): ValidationIssue | undefined {
  if (effect && webhook) {
    return issue(
      'webhook',
      'pass either `effect` or `webhook`: a fault applies to requests or to webhooks',
    );
  }
  if (webhook) {
    return (
      partIssue('webhook', { name: 'webhook', table: WEBHOOK_EFFECTS, values: webhook }) ??
      partIssue('webhook', { name: 'match', table: MATCHERS, values: match })
    );
  }
  const problem = effect && statusProblem(effect);
  if (problem !== undefined) return issue('effect.status', problem);
  return (
    partIssue('request', { name: 'effect', table: REQUEST_EFFECTS, values: effect ?? {} }) ??
    partIssue('request', { name: 'match', table: MATCHERS, values: match }) ??
    endpointIssue(match, endpoints)
  );
}

/** The match or an effect, with the name of its field in the input. */
type FaultPart = { name: string; table: FieldTable; values: object };

/** Returns the first issue of a part of a fault of this kind. */
function partIssue(kind: FaultKind, part: FaultPart): ValidationIssue | undefined {
  const fields = fieldsWithValue(part.table, part.values);
  const isGiven = (wanted: string) => fields.some(({ name }) => name === wanted);
  for (const { name, row } of fields) {
    const { onlyFor = kind, needs, conflicts } = row;
    const path = `${part.name}.${name}`;
    if (onlyFor !== kind) return issue(path, `is for faults of ${onlyFor}s`);
    if (needs !== undefined && !isGiven(needs)) return issue(path, `requires ${quoted([needs])}`);
    const conflict = conflicts?.find(isGiven);
    if (conflict !== undefined) return issue(path, `cannot be combined with ${quoted([conflict])}`);
  }
  if (fields.length > 0 || part.name === 'match') return undefined;
  const names = Object.keys(part.table).filter((name) => !part.table[name]?.needs);
  const other = part.name === 'effect' ? ', or `webhook` for a fault of webhooks' : '';
  return issue(part.name, `needs at least one of ${quoted(names)}${other}`);
}

/** Returns the issue of a method and path that no endpoint has. */
function endpointIssue(
  { method, path }: FaultMatch,
  endpoints: readonly EndpointRoute[],
): ValidationIssue | undefined {
  const matches = endpoints.filter((route) => !path || pathMatches(path, route.path, 'any'));
  if (matches.length === 0)
    return issue(
      'match.path',
      `no endpoint matches ${path}; pass the path of one, such as /orders`,
    );
  const methods = new Set(matches.map((endpoint) => endpoint.method));
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
