import { conflict } from '../../kernel/errors.ts';

/** Text of others, in a field. */
export const MAX_FIELD_BYTES = 4 * 1024;
export const MAX_RESULT_BYTES = 32 * 1024;
/** For the world and the next steps, beside the data. */
const RESERVED_BYTES = 2 * 1024;
/** Tried in order: a result without a list, or a single row, may be too long with whole fields. */
const FIELD_LIMITS = [MAX_FIELD_BYTES, 1024, 256];

/**
 * Shortens data to what a result may have: whole rows of its list, and texts up to a limit.
 * @param rows name of the list in it; `kept` says how many of them are, if not all
 * @throws conflict
 */
export function shorten(
  data: object,
  rows: string | undefined,
  cutsTexts: boolean,
): { data: object; kept?: number } {
  for (const max of FIELD_LIMITS) {
    const cut = cutsTexts ? (cutTexts(data, max) as Record<string, unknown>) : { ...data };
    if (sizeOf(cut) <= MAX_RESULT_BYTES - RESERVED_BYTES) return { data: cut };
    const list = rows === undefined ? undefined : (cut as Record<string, unknown>)[rows];
    if (rows === undefined || !Array.isArray(list)) continue;
    const kept = countThatFit(list, sizeOf({ ...cut, [rows]: [] }));
    if (kept > 0) return { data: { ...cut, [rows]: list.slice(0, kept) }, kept };
  }
  throw conflict('the result is longer than 32 KB; pass a filter, or use the command line');
}

/** @param size of everything else */
function countThatFit(list: readonly unknown[], size: number): number {
  let total = size;
  const end = list.findIndex((row) => {
    total += sizeOf(row) + 1;
    return total > MAX_RESULT_BYTES - RESERVED_BYTES;
  });
  return end < 0 ? list.length : end;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Cuts each text in a value that is longer than `max` bytes, and says so. */
function cutTexts(value: unknown, max: number): unknown {
  if (typeof value === 'string') return cutText(value, max);
  if (Array.isArray(value)) return value.map((each) => cutTexts(each, max));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, cutTexts(each, max)]),
  );
}

function cutText(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  const note = ` [cut, ${bytes.length} bytes]`;
  const start = new TextDecoder().decode(bytes.subarray(0, max - note.length), { stream: true });
  return start + note;
}
