import { type RequestRecord, textOf } from './format.ts';

/** Requests that share a name are related if at most this many have it. Each limit gives two guesses. */
const MAX_OCCURRENCES = [4, 16, 64, Number.POSITIVE_INFINITY];

/**
 * Returns guesses of the requests that led to the target, the smallest first: those that share IDs, domains, keys or
 * nonces with it, directly or through others; without and with requests that name nothing, such as a clock move.
 */
export function guessRelated(
  requests: readonly RequestRecord[],
  target: RequestRecord,
): RequestRecord[][] {
  const namesByRequest = new Map(
    [...requests, target].map((request) => [request, namesIn(request)]),
  );
  const pairs = [...namesByRequest].flatMap(([request, names]) =>
    Array.from(names, (name) => ({ name, request })),
  );
  const byName = Map.groupBy(pairs, ({ name }) => name);
  const guesses = MAX_OCCURRENCES.flatMap((limit) => {
    // Grows while the loop visits it.
    const related = new Set([target]);
    const unvisited = new Map(byName);
    for (const request of related) {
      for (const name of namesByRequest.get(request) ?? []) {
        const requestsWithName = unvisited.get(name) ?? [];
        unvisited.delete(name);
        if (requestsWithName.length <= limit)
          for (const requestWithName of requestsWithName) related.add(requestWithName.request);
      }
    }
    const isRelated = (request: RequestRecord) => related.has(request);
    return [
      requests.filter(isRelated),
      requests.filter((request) => isRelated(request) || namesByRequest.get(request)?.size === 0),
    ];
  });
  // Of guesses of the same size, the first is enough.
  return guesses
    .filter(({ length }) => length < requests.length)
    .sort((a, b) => a.length - b.length)
    .filter(({ length }, n, sorted) => length !== sorted[n - 1]?.length);
}

/** Times relate nothing: many requests share one. */
const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Returns the words of a request that may be IDs, tokens or domains. */
function namesIn({ method, target, request, response }: RequestRecord): ReadonlySet<string> {
  const headerValues = request.headers.map(([, value]) => value);
  // The list in the response to a read names many unrelated objects.
  const responseText = method === 'GET' ? '' : textOf(response);
  const text = `${target} ${headerValues.join(' ')} ${textOf(request)} ${responseText}`;
  const words = text.replace(TIMES, ' ').match(/[\w.-]{4,}/g) ?? [];
  return new Set(words.filter((word) => /\.|\d/.test(word) && !/^[\d.-]+$/.test(word)));
}

/** Leaves only these requests, if the problem is still there. @returns whether it is; false once the search is stopped */
type Test = (remaining: readonly RequestRecord[]) => Promise<boolean>;

/** Removes chunks, from half of the requests down to single ones, until none can be removed (ddmin). */
export async function removeChunks(requests: readonly RequestRecord[], test: Test): Promise<void> {
  let remaining = requests;
  let size = Math.ceil(remaining.length / 2);
  while (remaining.length > 0) {
    const before = remaining.length;
    // From the end, because later requests depend on earlier ones.
    for (let end = remaining.length; end > 0; end -= size) {
      const candidate = [...remaining.slice(0, Math.max(0, end - size)), ...remaining.slice(end)];
      if (await test(candidate)) remaining = candidate;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (remaining.length === before) return;
  }
}
