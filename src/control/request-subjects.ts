import { MAGIC_FAULTS } from '../faults/fault-effects.ts';
import { parseForm } from '../http/request.ts';
import { fieldsIn, parseJson } from '../kernel/json.ts';
import { decodeEscapes } from '../kernel/percent.ts';
import { domainOfRowToken } from '../market/row-token.ts';
import type { RequestLogEntry } from '../requests/log-entry.ts';
import type { Message } from '../requests/message.ts';
import { faultIdOf } from '../requests/trace.ts';
import { splitTarget } from '../signing/canonical.ts';

/** The objects that a request is about. */
interface RequestSubjects {
  /** The domain that the request, its quote or its response names. */
  domain: string | null;
  /** The order that the request or its response names. */
  order: string | null;
  /** The fault that acted: its ID, or the behavior of a magic domain. */
  fault: string | null;
}

/** Bodies with more characters are lists, which name many domains; they are not read. */
const MAX_BODY_CHARS = 8_000;

/** Fields that name an order. */
const ORDER_FIELDS = ['public_id', 'order', 'subject_id'];

/** Adds the objects that a request is about. */
export function withSubjects<Entry extends RequestLogEntry>(entry: Entry): Entry & RequestSubjects {
  const { target, request, response } = entry;
  const { path, query } = splitTarget(target);
  const bodies = [Object.fromEntries(parseForm(query)), bodyObject(request), bodyObject(response)];
  // In a path: `/domains/x.io`, `/inventory/x.io`, but not `/domains/search`.
  const domains = [
    decodeEscapes(/\/(?:domains|inventory)\/([^/]+\.[^/]+)/.exec(path)?.[1] ?? ''),
    ...bodies.map(({ domain, quote_id: quote }) =>
      isText(quote) ? (domain ?? domainOfRowToken(quote)) : domain,
    ),
  ];
  const orders = [
    /\/orders\/([^/]+)/.exec(path)?.[1],
    ...bodies.flatMap((body) => ORDER_FIELDS.map((name) => body[name])),
  ];
  return {
    ...entry,
    domain: domains.find(isText) ?? null,
    order: orders.filter(isText).find((id) => id.startsWith('ord_')) ?? null,
    fault: faultOf(entry),
  };
}

/** `isFaulty` in `where.ts` is the same condition in SQL. */
function faultOf({ trace }: RequestLogEntry): string | null {
  const behaviors = trace.flatMap(({ detail }) => detail?.behaviors ?? []).filter(isText);
  const magicFault = behaviors.find((behavior) => Object.hasOwn(MAGIC_FAULTS, behavior));
  return faultIdOf({ steps: trace }) ?? magicFault ?? null;
}

/** Returns a JSON object that was sent; an empty one for other bodies and long ones. */
function bodyObject({ body }: Message): Record<string, unknown> {
  return body !== null && body.length <= MAX_BODY_CHARS ? fieldsIn(parseJson(body)) : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
