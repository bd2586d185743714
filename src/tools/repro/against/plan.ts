import { bytesOf, type Repro, type ReproRow } from '../format.ts';
import { parsedJson } from '../limits.ts';
import { differencesAt, outputsOf } from '../outputs.ts';
import { placesOf } from '../places.ts';
import { recordedOf } from '../recorded-of.ts';
import type { InputRecord, RequestRecord } from '../recording/recording.ts';
import { countersAt, Replay } from '../replay.ts';
import { requestsOf } from '../select.ts';
import { type Answer, answerOf, isAccepted, isObject } from './answer.ts';
import { compareAnswers } from './compare-answers.ts';
import { operationOf } from './operation.ts';

export interface Allowed {
  writes: boolean;
  control: boolean;
}

/** What happens to a request of the file. */
export interface Planned {
  request: RequestRecord;
  /** What is sent for it, if it is another. */
  sent?: RequestRecord | undefined;
  place: string;
  /** `POST /orders`. */
  operation: string;
  /** Why it is not sent; undefined if it is. */
  unsent: Unsent | undefined;
  /** Why its response is not compared, although it is sent. */
  unmeasured?: string | undefined;
}
type Unsent =
  | 'needs --allow-writes'
  | 'needs --control'
  | 'rejected by its signature'
  | 'never sent';

/** Checks whose result no other sandbox repeats: clock, key, limits and a body that the file lacks. */
const REJECTED = new Set(['body', 'headers', 'timestamp', 'key', 'signature', 'rate_limit']);
const WRITES = new Set(
  ['orders', 'refunds', 'checkout-session', 'brokerage', 'links'].map((name) => `POST /${name}`),
);
const CONTROL =
  /^(?:POST|PATCH) \/_sandbox\/(?:clock\/[a-z]+|faults|(?:orders|brokerage)\/[^/]+\/advance|inventory(?:\/[^/]+)?)$/;
/** What is done with the requests of a file. */
export interface Plan {
  requests: Planned[];
  /** Digest of the inventory before the first act. */
  inventory: string;
}

/**
 * Decides what is sent, and finds the requests whose response depends on what is not.
 * @throws ReproFileError if its rows are not those of a world
 */
export async function planOf(repro: Repro, allowed: Allowed): Promise<Plan> {
  const places = placesOf(repro.inputs);
  const nows = new Map(
    repro.inputs.flatMap((each) => (each.kind === 'act' ? [[each.n, each.now] as const] : [])),
  );
  const requests = requestsOf(repro.inputs).flatMap((request): Planned[] => {
    if (request.api === 'page' || (request.api === 'control' && request.method === 'GET'))
      return [];
    const { operation } = operationOf(request);
    const place = places.get(request) ?? '';
    const unsent = unsentOf(request, operation, allowed);
    return [{ request, sent: moveOf(request, nows), place, operation, unsent }];
  });
  return { requests, inventory: await findDependent(repro, requests, allowed) };
}

/** A clock that was set is moved by as much: the other sandbox has another time. */
function moveOf(
  request: RequestRecord,
  nows: ReadonlyMap<number, number>,
): RequestRecord | undefined {
  const { method, target, body, acts, response } = request;
  if (method !== 'POST' || !/^\/_sandbox\/clock\/set(?:\?|$)/.test(target)) return undefined;
  const given = parsedJson(bytesOf(body).toString());
  const by =
    Date.parse(String(isObject(given) && given.to)) - (nows.get(acts[0] ?? 0) ?? Number.NaN);
  if (!response || !isAccepted(answerOf(response)) || !(by >= 0)) return undefined;
  return {
    ...request,
    target: target.replace('/set', '/advance'),
    body: { text: JSON.stringify({ by: `${by}ms` }) },
  };
}

function unsentOf(
  { api, method, target, response, failed_check, body_result }: RequestRecord,
  operation: string,
  { writes, control }: Allowed,
): Unsent | undefined {
  if (!response || !isPlain(target)) return 'never sent';
  if (api === 'control') {
    if (!CONTROL.test(operation)) return 'never sent';
    return control ? undefined : 'needs --control';
  }
  if (body_result || REJECTED.has(failed_check ?? '')) return 'rejected by its signature';
  if (method === 'GET' || operation === 'POST /quotes') return undefined;
  if (WRITES.has(operation)) return writes ? undefined : 'needs --allow-writes';
  if (operation === 'PUT /webhooks') return control ? undefined : 'needs --control';
  return 'never sent';
}

/** Whether the target stays what it is behind an origin: no other host, no `..`. */
function isPlain(target: string): boolean {
  const url = URL.parse(`http://host${target}`);
  return url?.host === 'host' && url.pathname === target.split('?', 1)[0];
}

/**
 * Replays what is sent, at once, without rate limits, and in a world with nothing but its inventory and credentials: another
 * response depends on what the other sandbox does not have.
 * @returns the digest of the inventory
 */
async function findDependent(
  repro: Repro,
  plan: readonly Planned[],
  { control }: Allowed,
): Promise<string> {
  const bySent = new Map(plan.filter(({ unsent }) => !unsent).map((each) => [each.request, each]));
  const planned = new Map<InputRecord, Planned>();
  const performed = requestsOf(repro.inputs).filter(
    (each) => bySent.has(each) || makesCredential(each),
  );
  const kept = new Set(performed.flatMap(({ acts }) => acts));
  const began = repro.inputs[0]?.at ?? 0;
  let counters: Record<string, number> = {};
  const inputs = repro.inputs.flatMap((input, index): InputRecord[] => {
    const at = began + index;
    if (input.kind === 'request') {
      const sent = bySent.get(input);
      if (!sent && !makesCredential(input)) return [];
      const copy = { ...input, at };
      if (sent) planned.set(copy, sent);
      return [copy];
    }
    counters = countersAt(input, counters);
    const isWork = control && (input.cause.type === 'moves' || input.cause.type === 'clock.to');
    return kept.has(input.n) || isWork ? [{ ...input, at, counters }] : [];
  });
  const recorded = recordedOf({ ...repro, rows: repro.rows.flatMap(inFreshWorld), inputs });
  const replay = await Replay.open({
    ...recorded,
    setsCounters: true,
    settings: { ...recorded.settings, rateLimits: {} },
  });
  const own = placesOf(inputs);
  const byPlace = new Map([...planned].map(([input, each]) => [own.get(input), each]));
  const outputs = outputsOf(inputs);
  const missing = new Set(planned.values());
  try {
    const inventory = replay.inventoryDigest();
    for await (const { responses } of replay.perform()) {
      for (const [place, output] of responses) {
        const each = byPlace.get(place);
        const before = outputs.responses.get(place);
        if (!each || !before) continue;
        const [one, other] = [answerOf(before.response), answerOf(output.response)];
        const areEqual = () =>
          differencesAt(place, outputs, { ...outputs, responses }).length === 0;
        const isControl = each.request.api === 'control';
        if (isControl ? one.status === other.status : isSame(one, other, areEqual)) {
          missing.delete(each);
        }
      }
    }
    return inventory;
  } finally {
    await replay.close();
    const unsent = plan.find((each) => each.unsent && !each.operation.startsWith('GET '));
    const needed =
      unsent || repro.rows.length === 0
        ? `${unsent?.operation ?? 'an input'}, which is not sent`
        : 'what the world had before';
    for (const each of missing) each.unmeasured = `needs ${needed}`;
  }
}

/** The other sandbox has the credentials of the environment. */
function makesCredential({ api, method, target }: RequestRecord): boolean {
  return api === 'control' && method === 'POST' && /^\/_sandbox\/credentials\b/.test(target);
}

const FRESH = new Set(['world', 'counters', 'partners', 'credentials', 'listings']);

/** The row as a fresh world has it. */
function inFreshWorld(row: ReproRow): ReproRow[] {
  if (!FRESH.has(row.table)) return [];
  return [row.table === 'listings' ? { ...row, values: { ...row.values, status: 'listed' } } : row];
}

/** A long body is compared by its digest. */
function isSame(one: Answer, other: Answer, areEqual: () => boolean): boolean {
  if (one.isLong) return one.status === other.status && (!isAccepted(one) || areEqual());
  return compareAnswers(one, other, { values: true }).differences.length === 0;
}
