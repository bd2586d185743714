import { headerOf } from '../../requests/logged-request.ts';
import { isCompared } from './differences.ts';
import { jsonOf, type RequestRecord } from './format.ts';
import type { ReplayedResponse } from './logged-requests.ts';

/** A shorter text may also be in places that mean something else. */
const MIN_ID_LENGTH = 12;

/** Without some requests, later ones create objects with other IDs: notes those of a response, by the recorded ones. */
export function noteIds(
  record: RequestRecord,
  replayed: ReplayedResponse,
  ids: Map<string, string>,
): void {
  const { status, response } = record;
  // The responses of other calls may be about different objects: `clock next` names the next delivery.
  if (!isCompared(record) && status !== 201) return;
  const note = (old: unknown, now: unknown): void => {
    if (typeof old === 'string' && typeof now === 'string') {
      if (old !== now && old.length >= MIN_ID_LENGTH && !/\s/.test(old)) ids.set(old, now);
    } else if (typeof old === 'object' && old && typeof now === 'object' && now) {
      for (const [name, value] of Object.entries(old))
        note(value, (now as Record<string, unknown>)[name]);
    }
  };
  note(jsonOf(response), jsonOf(replayed.response));
  note(headerOf(response.headers, 'location'), headerOf(replayed.response.headers, 'location'));
}

/** Returns a request with the IDs that its objects have now. */
export function mapIds(record: RequestRecord, ids: ReadonlyMap<string, string>): RequestRecord {
  if (ids.size === 0) return record;
  const map = (text: string) => {
    let result = text;
    for (const [recorded, now] of ids) result = result.replaceAll(recorded, now);
    return result;
  };
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
