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
import { answerOf, compareAnswers, isAccepted } from './compare-answers.ts';

export interface Allowed {
  writes: boolean;
  control: boolean;
}

/** What happens to a request of the file. */
export interface Planned {
  request: RequestRecord;
  /** What is sent for it. */
  sent: RequestRecord;
  place: string;
  /** `POST /orders`. */
  operation: string;
  /** How long the recorded sandbox took from its first act to its last, if it has several. */
  recordedMs: number | undefined;
  /** Why it is not sent; undefined if it is. */
  unsent: Unsent | undefined;
  /** Why its response is not compared, although it is sent. */
  unmeasured?: string | undefined;
}
export type Unsent =
  | 'needs --allow-writes'
  | 'needs --control'
  | 'rejected by its signature'
  | 'never sent';

/** Checks whose result no other sandbox repeats: clock, key, limits and a body that the file lacks. */
const REJECTED = new Set(['body', 'headers', 'timestamp', 'key', 'signature', 'rate_limit']);
const WRITE = /^POST \/(?:orders|refunds|checkout-session|brokerage|links)$/;
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
  const acts = new Map(
    repro.inputs.flatMap((each) => (each.kind === 'act' ? [[each.n, each] as const] : [])),
  );
  const requests = requestsOf(repro.inputs).flatMap((request): Planned[] => {
    if (request.api === 'page' || (request.api === 'control' && request.method === 'GET'))
      return [];
    const own = request.acts.flatMap((n) => acts.get(n) ?? []);
    const { operation } = operationOf(request);
    return [
      {
        request,
        sent: moveOf(request, own[0]) ?? request,
        place: places.get(request) ?? '',
        operation,
        recordedMs: own.length < 2 ? undefined : (own.at(-1)?.at ?? 0) - request.at,
        unsent: unsentOf(request, operation, allowed),
      },
    ];
  });
  return { requests, inventory: await findDependent(repro, requests, allowed) };
}

/** A clock that was set is moved by as much: the other sandbox has another time. */
function moveOf(request: RequestRecord, act: ActRecord | undefined): RequestRecord | undefined {
  const { method, target, body, response } = request;
  if (method !== 'POST' || !/^\/_sandbox\/clock\/set(?:\?|$)/.test(target)) return undefined;
  const by = Date.parse(String(lookUp(jsonOf(body), 'to').value)) - (act?.now ?? Number.NaN);
  if (!response || !isAccepted(answerOf(response)) || !(by >= 0)) return undefined;
  const advance = target.replace('/set', '/advance');
  return { ...request, target: advance, body: { text: JSON.stringify({ by: `${by}ms` }) } };
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
  if (WRITE.test(operation)) return writes ? undefined : 'needs --allow-writes';
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
  const sent = new Map(plan.filter(({ unsent }) => !unsent).map((each) => [each.request, each]));
  const isKept = (each: RequestRecord) => sent.has(each) || makesCredential(each);
  const kept = new Set(requestsOf(repro.inputs).flatMap((each) => (isKept(each) ? each.acts : [])));
  const began = repro.inputs[0]?.at ?? 0;
  const copies = new Map<InputRecord, Planned>();
  let counters: Record<string, number> = {};
  const inputs = repro.inputs.flatMap((input, index): InputRecord[] => {
    const at = began + index;
    if (input.kind === 'request') {
      const copy = { ...input, at };
      const planned = sent.get(input);
      if (planned) copies.set(copy, planned);
      return isKept(input) ? [copy] : [];
    }
    counters = countersAt(input, counters);
    const isWork = control && (input.cause.type === 'moves' || input.cause.type === 'clock.to');
    return kept.has(input.n) || isWork ? [{ ...input, at, counters }] : [];
  });
  const settings = { ...repro.head.settings, rate_limits: {} };
  const replay = await Replay.open({
    // Its counters are set: inputs are left out.
    head: { ...repro.head, settings, origin: 'replayed' },
    rows: repro.rows.flatMap(inFreshWorld),
    inputs,
  });
  try {
    const inventory = await inventoryDigest(() => replay.client);
    for await (const _ of replay.perform());
    const writes = plan.filter((each) => each.unsent && !each.operation.startsWith('GET '));
    const unsent = writes.find(({ request }) => request.api === 'partner') ?? writes[0];
    const needed =
      unsent || repro.rows.length === 0
        ? `${unsent?.operation ?? 'an input'}, which is not sent`
        : 'what the world had before';
    for (const [copy, planned] of copies) {
      if (!isSame(copy, replay)) {
        planned.unmeasured = `needs ${needed}`;
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

const FRESH = new Set(['world', 'counters', 'partners', 'credentials', 'listings']);

/** The row as a fresh world has it. */
function inFreshWorld(row: ReproRow): ReproRow[] {
  if (!FRESH.has(row.table)) return [];
  return [row.table === 'listings' ? { ...row, values: { ...row.values, status: 'listed' } } : row];
}

/** Whether a response is still the recorded one. A long body is compared by its digest, and of the control API only the status. */
function isSame(input: InputRecord, replay: Replay): boolean {
  const now = replay.made.get(input);
  if (input.kind === 'act' || now?.kind !== 'request') return false;
  const [before, after] = [input.response, now.response];
  if (!before || !after) return false;
  const [one, other] = [answerOf(before), answerOf(after)];
  if (input.api === 'control') return one.status === other.status;
  if (!one.isLong) return compareAnswers(one, other, { values: true }).differences.length === 0;
  if (!isAccepted(one)) return one.status === other.status;
  return replay.differencesAt(input).length === 0;
}
