import { diffJson } from '../../kernel/diff-json.ts';
import type { Api } from '../../requests/message.ts';
import { bytesOf, digestOfBody, type ResponseRecord } from './format.ts';
import { parsedJson } from './limits.ts';
import type { Difference } from './result.ts';

export const MAX_DIFFERENCES = 20;

const LAYOUT = 'only white space, or the order or spelling of fields, differs';

type Full = Extract<ResponseRecord, { status: number }>;

/**
 * Compares two responses. Of a hosted page, only the status and where it leads.
 * @param ignored paths in the body that are not compared
 */
export function compareResponses(
  recorded: ResponseRecord,
  replayed: ResponseRecord,
  api: Api,
  ignored: readonly string[] = [],
): Difference[] {
  if ('closed' in recorded || 'closed' in replayed) {
    const status = (of: ResponseRecord) => ('closed' in of ? 'closed' : of.status);
    return differ('status', status(recorded), status(replayed));
  }
  const differences = [
    ...differ('status', recorded.status, replayed.status),
    ...compareHeaders(recorded, replayed, api),
    ...(api === 'page' ? [] : compareBodies(recorded.body, replayed.body, ignored)),
  ];
  return differences.slice(0, MAX_DIFFERENCES);
}

/** `orders[].status` for `orders[ord_1].status`. */
export function pathOfAll(path: string): string {
  return path.replaceAll(/\[[^[\]]*\]/g, '[]');
}

/**
 * Compares two JSON documents as they were sent.
 * @param ignored paths, with `[]` for each element of a list
 */
export function compareTexts(
  recorded: string,
  replayed: string,
  ignored: readonly string[] = [],
): Difference[] {
  if (recorded === replayed) return [];
  if (withoutPlaceholders(recorded) === withoutPlaceholders(replayed)) return [];
  const [one, other] = [parsedJson(recorded), parsedJson(replayed)];
  if (one === undefined || other === undefined) return differ('body', recorded, replayed);
  const { differences, volatile } = diffJson(one, other, {
    isVolatile: (path) => ignored.includes(pathOfAll(path)),
    max: MAX_DIFFERENCES,
  });
  if (differences.length > 0) {
    return differences.flatMap(({ path, a, b }) => differ(path === '' ? 'body' : path, a, b));
  }
  return volatile.length > 0 ? [] : [{ path: 'body', note: LAYOUT }];
}

/** The log has another text in the place of a secret than a message, which has `[redacted]`. */
function withoutPlaceholders(text: string): string {
  return text.replace(/(?:\[redacted\]|redacted)[A-Za-z0-9]*/g, '[redacted]');
}

function compareHeaders(recorded: Full, replayed: Full, api: Api): Difference[] {
  const [before, after] = [headersOf(recorded), headersOf(replayed)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names
    .filter((name) => api !== 'page' || name === 'location')
    .flatMap((name) => differ(`headers.${name}`, before.get(name), after.get(name)));
}

/** Header values by name in lower case, several in one. */
function headersOf({ headers }: Full): Map<string, string> {
  const byName = new Map<string, string>();
  for (const [name, value] of headers) {
    const before = byName.get(name.toLowerCase());
    byName.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return byName;
}

function compareBodies(
  recorded: Full['body'],
  replayed: Full['body'],
  ignored: readonly string[],
): Difference[] {
  if ('bytes' in recorded || 'bytes' in replayed) {
    const digest = (body: Full['body']) => {
      const { bytes, sha256 } = 'bytes' in body ? body : digestOfBody(bytesOf(body));
      return `${bytes} bytes, SHA-256 ${sha256}`;
    };
    return differ('body', digest(recorded), digest(replayed));
  }
  return compareTexts(bytesOf(recorded).toString(), bytesOf(replayed).toString(), ignored);
}

function differ(path: string, recorded: unknown, replayed: unknown): Difference[] {
  if (JSON.stringify(recorded) === JSON.stringify(replayed)) return [];
  return [
    {
      path,
      ...(recorded !== undefined && { recorded }),
      ...(replayed !== undefined && { replayed }),
    },
  ];
}
