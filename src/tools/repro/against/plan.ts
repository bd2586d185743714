import { ENDPOINTS } from '../../../api/index.ts';
import type { InputRecord, RequestRecord } from '../../../requests/recording.ts';
import { ID_SERIES } from '../../../world/world.ts';
import type { Repro } from '../format.ts';
import { differencesAt, outputsOf } from '../outputs.ts';
import { placesOf } from '../places.ts';
import { recordedOf } from '../recorded-of.ts';
import { Replay } from '../replay.ts';
import { requestsOf } from '../select.ts';
import { type Answer, answerOf, compareAnswers } from './compare-answers.ts';

export interface Allowed {
  writes: boolean;
  control: boolean;
}

/** What happens to a request of the file. */
export interface Planned {
  request: RequestRecord;
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
  /^(?:POST|PATCH) \/_sandbox\/(?:clock\/|faults$|(?:orders|brokerage)\/[^/]+\/advance$|inventory(?:\/|$))/;
const PREFIX = /^\/api\/partner(?:\/v1)?/;

const ROUTES = ENDPOINTS.map(({ method, path }) => ({
  method,
  operation: `${method} ${path.replace(PREFIX, '').replace(/:(\w+)/g, '{$1}')}`,
  segments: path.split('/'),
}));

/** The operation of a request, and the parameters of its path. */
export function operationOf({ api, method, target }: RequestRecord): {
  operation: string;
  params: Record<string, string>;
} {
  const [path = ''] = target.split('?', 1);
  const given = path.split('/');
  const found = ROUTES.find(
    (route) =>
      api === 'partner' &&
      route.method === method &&
      route.segments.length === given.length &&
      route.segments.every((segment, at) => segment.startsWith(':') || segment === given[at]),
  );
  if (!found) return { operation: `${method} ${path}`, params: {} };
  const params = found.segments.flatMap((segment, at) =>
    segment.startsWith(':') ? [[segment.slice(1), given[at] ?? '']] : [],
  );
  return { operation: found.operation, params: Object.fromEntries(params) };
}

/** Decides what is sent, and finds the requests whose response depends on what is not. */
export async function planOf(repro: Repro, allowed: Allowed): Promise<Planned[]> {
  const places = placesOf(repro.inputs);
  const plan = requestsOf(repro.inputs).flatMap((request): Planned[] => {
    if (request.api === 'page' || (request.api === 'control' && request.method === 'GET'))
      return [];
    const { operation } = operationOf(request);
    const place = places.get(request) ?? '';
    return [{ request, place, operation, unsent: unsentOf(request, operation, allowed) }];
  });
  await findDependent(repro, plan, allowed);
  return plan;
}

function unsentOf(
  { api, method, response, failed_check, body_result }: RequestRecord,
  operation: string,
  { writes, control }: Allowed,
): Unsent | undefined {
  if (!response) return 'never sent';
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

/** Replays what is sent, at once and without rate limits: another response depends on an input that is not sent. */
async function findDependent(
  repro: Repro,
  plan: readonly Planned[],
  { control }: Allowed,
): Promise<void> {
  const bySent = new Map(plan.filter(({ unsent }) => !unsent).map((each) => [each.request, each]));
  const planned = new Map<InputRecord, Planned>();
  const kept = new Set([...bySent.keys()].flatMap(({ acts }) => acts));
  const began = repro.inputs[0]?.at ?? 0;
  let counters: Record<string, number> = {};
  const inputs = repro.inputs.flatMap((input, index): InputRecord[] => {
    const at = began + index;
    if (input.kind === 'request') {
      const sent = bySent.get(input);
      if (!sent) return [];
      const copy = { ...input, at };
      planned.set(copy, sent);
      return [copy];
    }
    const own = input.counters ?? {};
    counters = ID_SERIES in own ? own : { ...counters, ...own };
    const isWork = control && (input.cause.type === 'moves' || input.cause.type === 'clock.to');
    return kept.has(input.n) || isWork ? [{ ...input, at, counters }] : [];
  });
  const recorded = recordedOf({ ...repro, inputs });
  const replay = await Replay.open({
    ...recorded,
    setsCounters: true,
    settings: { ...recorded.settings, rateLimits: {} },
  });
  const own = placesOf(inputs);
  const byPlace = new Map([...planned].map(([input, each]) => [own.get(input), each]));
  const outputs = outputsOf(inputs);
  const unsent = new Set(plan.filter((each) => each.unsent).map(({ operation }) => operation));
  const [first] = [...unsent].filter((operation) => !operation.startsWith('GET '));
  const reason = `needs ${first ?? 'an input'}, which is not sent`;
  const missing = new Set(planned.values());
  try {
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
  } finally {
    await replay.close();
  }
  for (const each of missing) each.unmeasured = reason;
}

/** A long body is compared by its digest. */
function isSame(one: Answer, other: Answer, areEqual: () => boolean): boolean {
  if (one.isLong) return one.status === other.status && (one.status >= 400 || areEqual());
  return compareAnswers(one, other, { values: true, noise: new Set() }).differences.length === 0;
}
