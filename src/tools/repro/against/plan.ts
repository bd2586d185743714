import { lookUp } from '../fields.ts';
import {
  type ActRecord,
  type InputRecord,
  jsonOf,
  type Repro,
  type ReproRow,
  type RequestRecord,
} from '../format.ts';
import { operationOf } from '../operation.ts';
import { placesOf } from '../places.ts';
import { countersAt } from '../recording/recording-store.ts';
import { Replay } from '../replay.ts';
import { inventoryDigest } from '../rows.ts';
import { requestsOf } from '../select.ts';
import { compareWithTarget, isAccepted, toComparable } from './compare-with-target.ts';

export interface AllowedRequests {
  writes: boolean;
  control: boolean;
}

/** A request of the file, and whether it is sent and compared. */
export interface PlannedRequest {
  request: RequestRecord;
  /** The request to send; differs for a clock that is set. */
  sentRequest: RequestRecord;
  place: string;
  /** `POST /orders`. */
  operation: string;
  /** How long the recorded sandbox took from its first act to its last, if it has several. */
  recordedMs: number | undefined;
  /** Why it is not sent; undefined if it is. */
  unsentReason: UnsentReason | undefined;
  /** Why its response is not compared, although it is sent. */
  unmeasuredReason?: string | undefined;
}
export type UnsentReason =
  | 'needs --allow-writes'
  | 'needs --control'
  | 'rejected by its signature'
  | 'never sent';

/** Checks whose result no other sandbox repeats: clock, key, limits and a body that the file lacks. */
const REJECTED = new Set(['body', 'headers', 'timestamp', 'key', 'signature', 'rate_limit']);
const WRITE = /^POST \/(?:orders|refunds|checkout-session|brokerage|links)$/;
const CONTROL =
  /^(?:POST|PATCH) \/_sandbox\/(?:clock\/[a-z]+|faults|(?:orders|brokerage)\/[^/]+\/advance|inventory(?:\/[^/]+)?)$/;

export interface Plan {
  requests: PlannedRequest[];
  /** Digest of the inventory before the first act. */
  inventory: string;
}

/**
 * Decides which requests are sent, and finds those whose response depends on requests that are not.
 * @throws ReproFileError if its rows are not those of a world
 */
export async function makePlan(repro: Repro, allowed: AllowedRequests): Promise<Plan> {
  const places = placesOf(repro.inputs);
  const acts = new Map(
    repro.inputs.flatMap((input) => (input.kind === 'act' ? [[input.n, input] as const] : [])),
  );
  const requests = requestsOf(repro.inputs).flatMap((request): PlannedRequest[] => {
    if (request.api === 'page' || (request.api === 'control' && request.method === 'GET'))
      return [];
    const records = request.acts.flatMap((n) => acts.get(n) ?? []);
    const { operation } = operationOf(request);
    return [
      {
        request,
        sentRequest: toAdvance(request, records[0]) ?? request,
        place: places.get(request) ?? '',
        operation,
        recordedMs: records.length < 2 ? undefined : (records.at(-1)?.at ?? 0) - request.at,
        unsentReason: unsentReasonOf(request, operation, allowed),
      },
    ];
  });
  return { requests, inventory: await findDependent(repro, requests, allowed) };
}

/** Turns an accepted `clock/set` into an advance by the same duration, because the other sandbox has another time. */
function toAdvance(request: RequestRecord, act: ActRecord | undefined): RequestRecord | undefined {
  const { method, target, body, response } = request;
  if (method !== 'POST' || !/^\/_sandbox\/clock\/set(?:\?|$)/.test(target)) return undefined;
  const by = Date.parse(String(lookUp(jsonOf(body), 'to').value)) - (act?.now ?? Number.NaN);
  if (!response || !isAccepted(toComparable(response)) || !(by >= 0)) return undefined;
  const advance = target.replace('/set', '/advance');
  return { ...request, target: advance, body: { text: JSON.stringify({ by: `${by}ms` }) } };
}

function unsentReasonOf(
  { api, method, target, response, failed_check, body_result }: RequestRecord,
  operation: string,
  { writes, control }: AllowedRequests,
): UnsentReason | undefined {
  if (!response || !isPlain(target)) return 'never sent';
  if (api === 'control') {
    if (!CONTROL.test(operation)) return 'never sent';
    return control ? undefined : 'needs --control';
  }
  if (body_result || REJECTED.has(failed_check ?? '')) return 'rejected by its signature';
  if (method === 'GET' || operation === 'POST /quotes') return undefined;
  if (WRITE.test(operation)) return writes ? undefined : 'needs --allow-writes';
  if (operation === 'PUT /webhooks') return control ? undefined : 'needs --control';
  return 'never sent';
}

/** Whether the target is the same after an origin: it names no other host and contains no `..`. */
function isPlain(target: string): boolean {
  const url = URL.parse(`http://host${target}`);
  return url?.host === 'host' && url.pathname === target.split('?', 1)[0];
}

/**
 * Replays the sent requests, at once, without rate limits, in a world with only its inventory and credentials. A response
 * that differs then depends on state that the other sandbox does not have, so it is not measured.
 * @returns the digest of the inventory
 */
async function findDependent(
  repro: Repro,
  plan: readonly PlannedRequest[],
  { control }: AllowedRequests,
): Promise<string> {
  const sentRequests = new Map(
    plan.flatMap((entry) => (entry.unsentReason ? [] : [[entry.request, entry]])),
  );
  const isReplayed = (request: RequestRecord) =>
    sentRequests.has(request) || makesCredential(request);
  const replayedActs = new Set(
    requestsOf(repro.inputs).flatMap((request) => (isReplayed(request) ? request.acts : [])),
  );
  const start = repro.inputs[0]?.at ?? 0;
  const copies = new Map<InputRecord, PlannedRequest>();
  let counters: Record<string, number> = {};
  const inputs = repro.inputs.flatMap((input, index): InputRecord[] => {
    const at = start + index;
    if (input.kind === 'request') {
      const copy = { ...input, at };
      const plannedRequest = sentRequests.get(input);
      if (plannedRequest) copies.set(copy, plannedRequest);
      return isReplayed(input) ? [copy] : [];
    }
    counters = countersAt(input, counters);
    const isWork = control && (input.cause.type === 'moves' || input.cause.type === 'clock.to');
    return replayedActs.has(input.n) || isWork ? [{ ...input, at, counters }] : [];
  });
  const settings = { ...repro.head.settings, rate_limits: {} };
  const replay = await Replay.open({
    // `replayed` sets the counters instead of comparing them, because inputs are left out.
    head: { ...repro.head, settings, origin: 'replayed' },
    rows: repro.rows.flatMap(inFreshWorld),
    inputs,
  });
  try {
    const inventory = await inventoryDigest(() => replay.client);
    for await (const _ of replay.perform());
    const writes = plan.filter(
      (entry) => entry.unsentReason && !entry.operation.startsWith('GET '),
    );
    const unsentWrite = writes.find(({ request }) => request.api === 'partner') ?? writes[0];
    const missingState =
      unsentWrite || repro.rows.length === 0
        ? `${unsentWrite?.operation ?? 'an input'}, which is not sent`
        : 'what the world had before';
    for (const [copy, plannedRequest] of copies) {
      if (!isSame(copy, replay)) {
        plannedRequest.unmeasuredReason = `needs ${missingState}`;
      }
    }
    return inventory;
  } finally {
    await replay.close();
  }
}

/** The other sandbox has the credentials of the environment. */
function makesCredential({ api, method, target }: RequestRecord): boolean {
  return api === 'control' && method === 'POST' && /^\/_sandbox\/credentials\b/.test(target);
}

const FRESH_TABLES = new Set(['world', 'counters', 'partners', 'credentials', 'listings']);

/** Returns the row as it is in a fresh world. */
function inFreshWorld(row: ReproRow): ReproRow[] {
  if (!FRESH_TABLES.has(row.table)) return [];
  return [row.table === 'listings' ? { ...row, values: { ...row.values, status: 'listed' } } : row];
}

/** Whether a replayed response equals the recorded one. Compares long bodies by digest, and only the status of the control API. */
function isSame(input: InputRecord, replay: Replay): boolean {
  const result = replay.results.get(input);
  if (input.kind === 'act' || result?.kind !== 'request') return false;
  const [before, after] = [input.response, result.response];
  if (!before || !after) return false;
  const [recorded, replayed] = [toComparable(before), toComparable(after)];
  if (input.api === 'control') return recorded.status === replayed.status;
  if (!recorded.isLong)
    return compareWithTarget(recorded, replayed, { values: true }).differences.length === 0;
  if (!isAccepted(recorded)) return recorded.status === replayed.status;
  return replay.differencesAt(input).length === 0;
}
