import { parseIsoTime } from '../../kernel/time.ts';
import { headerOf } from '../../requests/logged-request.ts';
import { isCompared } from './differences.ts';
import { jsonOf, type RequestRecord } from './format.ts';
import type { ReplayedResponse } from './logged-requests.ts';

/**
 * A word that may be an ID, a token or a code. A shorter one may occur elsewhere with another meaning. A percent escape
 * is a word of its own, so that its digits do not begin the next.
 */
const WORD = /%[\da-f]{2}|[\w.~-]{10,}/gi;
/** A keyword, status, event type or domain keeps its spelling: without some requests, a response may have another one. */
const PLAIN_WORD = /^[a-z._-]+$|^[A-Z_]+$|^[a-z\d-]+(?:\.[a-z\d-]+)+$/;

/** Adds the IDs in a replayed response to `ids`, by the recorded IDs in their places. */
export function noteIds(
  record: RequestRecord,
  replayed: ReplayedResponse,
  ids: Map<string, string>,
): void {
  const { status, response } = record;
  // A response that is not compared may be about another object (`clock next` names a delivery), unless it is a 201.
  if (!isCompared(record) && status !== 201) return;
  const note = (old: unknown, now: unknown): void => {
    if (typeof old === 'string' && typeof now === 'string') {
      if (/\s/.test(old) || parseIsoTime(old) !== undefined) return;
      const words = now.match(WORD) ?? [];
      for (const [index, word] of (old.match(WORD) ?? []).entries())
        if (words[index] !== word && !PLAIN_WORD.test(word)) ids.set(word, words[index] ?? word);
    } else if (typeof old === 'object' && old && typeof now === 'object' && now) {
      for (const [name, value] of Object.entries(old))
        note(value, (now as Record<string, unknown>)[name]);
    }
  };
  note(jsonOf(response), jsonOf(replayed.response));
  note(headerOf(response.headers, 'location'), headerOf(replayed.response.headers, 'location'));
}

/** Returns a request with its IDs replaced by those of the replay. */
export function mapIds(record: RequestRecord, ids: ReadonlyMap<string, string>): RequestRecord {
  if (ids.size === 0) return record;
  const map = (text: string) => text.replace(WORD, (word) => ids.get(word) ?? word);
  const { target, request } = record;
  const { headers, body, encoding } = request;
  return {
    ...record,
    target: map(target),
    request: {
      ...request,
      headers: headers.map(([name, value]) => [name, map(value)]),
      body: body !== null && encoding === 'utf8' ? map(body) : body,
    },
  };
}
