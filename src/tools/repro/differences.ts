import { diffJson } from '../../kernel/diff-json.ts';
import { headersOf } from '../../requests/compare-requests.ts';
import type { Api } from '../../requests/message.ts';
import type { ResponseRecord } from './format.ts';
import { parseBoundedJson } from './limits.ts';
import type { Difference } from './result.ts';

const MAX_DIFFERENCES = 20;

const LAYOUT = 'only white space, or the order or spelling of fields, differs';

type FullResponse = Extract<ResponseRecord, { status: number }>;

/**
 * Compares two responses. Of a hosted page, only the status and the Location header.
 * @param ignored paths in the body that are not compared
 */
export function compareResponses(
  recorded: ResponseRecord,
  replayed: ResponseRecord,
  api: Api,
  ignored: readonly string[] = [],
): Difference[] {
  if ('closed' in recorded || 'closed' in replayed) {
    const status = (response: ResponseRecord) =>
      'closed' in response ? 'closed' : response.status;
    return diff('status', status(recorded), status(replayed));
  }
  const differences = [
    ...diff('status', recorded.status, replayed.status),
    ...compareHeaders(recorded, replayed, api),
    ...(api === 'page' ? [] : compareBodies(recorded.body, replayed.body, ignored)),
  ];
  return differences.slice(0, MAX_DIFFERENCES);
}

/** `orders[].status` for `orders[ord_1].status`. */
function pathOfAll(path: string): string {
  return path.replaceAll(/\[[^[\]]*\]/g, '[]');
}

/**
 * Compares two JSON documents.
 * @param ignored paths, with `[]` for each element of a list
 */
function compareTexts(
  recorded: string,
  replayed: string,
  ignored: readonly string[] = [],
): Difference[] {
  if (recorded === replayed) return [];
  const [a, b] = [parseBoundedJson(recorded), parseBoundedJson(replayed)];
  if (a === undefined || b === undefined) return diff('body', recorded, replayed);
  const { differences, volatile } = diffJson(a, b, {
    isVolatile: (path) => ignored.includes(pathOfAll(path)),
    max: MAX_DIFFERENCES,
  });
  if (differences.length > 0) {
    return differences.flatMap(({ path, a, b }) => diff(path === '' ? 'body' : path, a, b));
  }
  return volatile.length > 0 ? [] : [{ path: 'body', note: LAYOUT }];
}

function compareHeaders(recorded: FullResponse, replayed: FullResponse, api: Api): Difference[] {
  const [before, after] = [headersOf(recorded.headers), headersOf(replayed.headers)];
  return Object.keys({ ...before, ...after })
    .filter((name) => api !== 'page' || name === 'location')
    .flatMap((name) => diff(`headers.${name}`, before[name], after[name]));
}

function compareBodies(
  recorded: FullResponse['body'],
  replayed: FullResponse['body'],
  ignored: readonly string[],
): Difference[] {
  if (recorded.is_cut || replayed.is_cut) return diff('body', recorded.text, replayed.text);
  return compareTexts(recorded.text, replayed.text, ignored);
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
