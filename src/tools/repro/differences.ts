import { diffJson } from '../../kernel/diff-json.ts';
import { headersOf } from '../../requests/compare-requests.ts';
import type { Api } from '../../requests/message.ts';
import { failedCheckOf, type RequestRecord, type ResponseRecord } from './format.ts';
import { parseBoundedJson } from './limits.ts';
import type { ReplayedResponse } from './logged-requests.ts';
import type { Difference } from './result.ts';

const MAX_DIFFERENCES = 20;

/** Control API calls that show deliveries, snapshots, other worlds or real time, which a replay does not repeat. */
const NOT_COMPARED =
  /^\w+ \/_sandbox\/(?:snapshots|worlds|webhooks|deliveries|events|faults|clock|idle|wait|repro)\b/;

/** Its response has a secret, which is not in a file. */
const MINTS = /^POST \/_sandbox\/credentials(?:\?|$)/;

type FullResponse = Extract<ResponseRecord, { status: number }>;

/** Returns how a replayed response differs from that of the file. */
export function differencesOf(record: RequestRecord, replayed: ReplayedResponse): Difference[] {
  const differences = compareResponses(record, replayed.response).slice(0, MAX_DIFFERENCES);
  if (differences.length === 0) return [];
  const [before, after] = [record, replayed].map((each) => failedCheckOf(each) ?? 'none');
  return differences.toSpliced(1, 0, ...diff('failed check', before, after));
}

/** Whether a replay repeats the response to a request. */
export function isCompared({ api, method, target }: RequestRecord): boolean {
  return api !== 'control' || !NOT_COMPARED.test(`${method} ${target}`);
}

/** Of a hosted page, compares only the status and the Location header. */
function compareResponses(record: RequestRecord, replayed: ResponseRecord): Difference[] {
  if (!isCompared(record)) return [];
  const { api, method, target, response: recorded } = record;
  if ('closed' in recorded || 'closed' in replayed) {
    const status = (response: ResponseRecord) =>
      'closed' in response ? 'closed' : response.status;
    return diff('status', status(recorded), status(replayed));
  }
  const ignored = api === 'control' && MINTS.test(`${method} ${target}`) ? ['secret'] : [];
  return [
    ...diff('status', recorded.status, replayed.status),
    ...compareHeaders(recorded, replayed, api),
    ...(api === 'page' ? [] : compareBodies(recorded.body, replayed.body, ignored)),
  ];
}

function compareHeaders(recorded: FullResponse, replayed: FullResponse, api: Api): Difference[] {
  const [before, after] = [headersOf(recorded.headers), headersOf(replayed.headers)];
  return Object.keys({ ...before, ...after })
    .filter((name) => api !== 'page' || name === 'location')
    .flatMap((name) => diff(`headers.${name}`, before[name], after[name]));
}

/** @param ignored paths of fields that are not compared */
function compareBodies(
  recorded: FullResponse['body'],
  replayed: FullResponse['body'],
  ignored: readonly string[],
): Difference[] {
  if (recorded.text === replayed.text) return [];
  const isCut = recorded.is_cut || replayed.is_cut;
  const [a, b] = isCut ? [] : [recorded, replayed].map(({ text }) => parseBoundedJson(text));
  if (a === undefined || b === undefined) return diff('body', recorded.text, replayed.text);
  const { differences, volatile } = diffJson(a, b, {
    isVolatile: (path) => ignored.includes(path),
    max: MAX_DIFFERENCES,
  });
  if (differences.length > 0) {
    return differences.flatMap(({ path, a, b }) => diff(path === '' ? 'body' : path, a, b));
  }
  return volatile.length > 0 ? [] : diff('body', recorded.text, replayed.text);
}

function diff(path: string, recorded: unknown, replayed: unknown): Difference[] {
  if (JSON.stringify(recorded) === JSON.stringify(replayed)) return [];
  return [
    {
      path,
      ...(recorded !== undefined && { recorded }),
      ...(replayed !== undefined && { replayed }),
    },
  ];
}
