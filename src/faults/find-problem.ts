import { nearest } from '../kernel/did-you-mean.ts';
import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import type { CallEffect, FaultMatch, WebhookEffect } from '../store/schema/faults.ts';
import { canReach, type Reachable, readPathPattern, spellPath } from './path-pattern.ts';

/** A rule as it is asked for. */
export interface FaultWish {
  match: FaultMatch;
  effect?: CallEffect | undefined;
  webhook?: WebhookEffect | undefined;
  times?: number | undefined;
}

/** What is wrong with a rule, and with which member of it. */
export interface Problem {
  path: string[];
  message: string;
}

/** Why there can be no such rule: the first reason; undefined when there can. */
export function findProblem(wish: FaultWish, endpoints: readonly Reachable[]): Problem | undefined {
  const { match, effect, webhook } = wish;
  if (effect && webhook) {
    return problem('webhook', 'give either effect or webhook: a rule is about calls or deliveries');
  }
  if (effect) return ofEffect(effect) ?? ofCallMatch(match, endpoints);
  if (webhook) return ofWebhook(webhook) ?? ofDeliveryMatch(match);
  return problem('effect', 'is required, or webhook for a rule about deliveries');
}

function ofEffect(effect: CallEffect): Problem | undefined {
  const { status, code, drop, truncate } = effect;
  const answers = status !== undefined || code !== undefined || truncate !== undefined;
  if (!answers && drop === undefined && effect.delay_ms === undefined) {
    return problem('effect', 'needs at least one of status, code, delay_ms, drop, truncate');
  }
  if (drop !== undefined && answers) {
    return problem(
      'effect.drop',
      'a cut connection has no answer: leave out status, code, truncate',
    );
  }
  if (status === undefined) return undefined;
  const codes = codesOf(status);
  if (codes.length === 0) {
    return problem('effect.status', `the API gives no error ${status}; it gives ${statusList()}`);
  }
  if (code === undefined || codes.includes(code)) return undefined;
  const right = ERROR_STATUS[code];
  return problem(
    'effect.status',
    `${code} has the status ${right}; with ${status} the API gives ${codes.join(' or ')}`,
  );
}

/** Codes that come with a status, the one that it stands for alone first. */
export function codesOf(status: number): ErrorCode[] {
  // Decisions, "Errors": a body over the limit.
  if (status === 413) return ['validation_error'];
  const codes = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter(
    (code) => ERROR_STATUS[code] === status,
  );
  // Of those for 401 it is the one that a client with a wrong key meets.
  return codes.toSorted(
    (a, b) => Number(b === 'invalid_signature') - Number(a === 'invalid_signature'),
  );
}

function statusList(): string {
  const statuses = new Set<number>([...Object.values(ERROR_STATUS), 413]);
  return [...statuses].toSorted((a, b) => a - b).join(', ');
}

function ofCallMatch(match: FaultMatch, endpoints: readonly Reachable[]): Problem | undefined {
  if (match.event !== undefined) {
    return problem(
      'match.event',
      'is for rules with webhook; a call has method, path, domain, key_id',
    );
  }
  const { method, path } = match;
  const reached =
    path === undefined
      ? endpoints
      : endpoints.filter((each) => canReach(readPathPattern(path), each));
  if (path !== undefined && reached.length === 0) {
    const spelled = [...new Set(endpoints.map((each) => spellPath(each.path)))];
    const near = nearest(path.replace(/^\/api\/partner\/v1(?=\/)/, ''), spelled);
    return problem(
      'match.path',
      `no endpoint is reached by ${path}; the nearest is ${near?.candidate}. "*" stands for any characters`,
    );
  }
  if (method === undefined || reached.some((each) => each.method === method)) return undefined;
  const methods = [...new Set(reached.map((each) => each.method))].join(', ');
  return problem(
    'match.method',
    `there is no ${method} ${path ?? 'endpoint'}; there is ${methods}`,
  );
}

function ofWebhook(webhook: WebhookEffect): Problem | undefined {
  const { delay_ms, reorder, drop, duplicate, corrupt_signature } = webhook;
  if (delay_ms === undefined && !(reorder || drop || duplicate || corrupt_signature)) {
    return problem(
      'webhook',
      'needs at least one of delay_ms, duplicate, reorder, drop, corrupt_signature',
    );
  }
  if (reorder && delay_ms !== undefined) {
    return problem(
      'webhook.reorder',
      'decides itself when the delivery is sent: leave out delay_ms',
    );
  }
  if (drop && (reorder || duplicate || corrupt_signature)) {
    return problem(
      'webhook.drop',
      'what is not sent cannot be sent otherwise: only delay_ms goes with it',
    );
  }
  return undefined;
}

function ofDeliveryMatch(match: FaultMatch): Problem | undefined {
  for (const name of ['method', 'path', 'key_id'] as const) {
    if (match[name] !== undefined) {
      return problem(`match.${name}`, 'is for rules with effect; a delivery has event and domain');
    }
  }
  return undefined;
}

function problem(at: string, message: string): Problem {
  return { path: at.split('.'), message };
}
