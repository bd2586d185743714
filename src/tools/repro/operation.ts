import type { RequestRecord } from './format.ts';

/** Control API calls that show deliveries, snapshots, other worlds or real time, which a replay does not repeat. */
const NOT_COMPARED =
  /^\w+ \/_sandbox\/(?:snapshots|worlds|webhooks|deliveries|events|faults|clock|idle|wait|repro)\b/;

/** Whether a replay compares the response of a request: partners see all others. */
export function isCompared({ api, method, target }: RequestRecord): boolean {
  return api !== 'control' || !NOT_COMPARED.test(`${method} ${target}`);
}

/** Returns the paths in the response of a request that are not compared: minted secrets are not in a file. */
export function ignoredPathsOf({ api, method, target }: RequestRecord): readonly string[] {
  return api === 'control' && /^POST \/_sandbox\/credentials(?:\?|$)/.test(`${method} ${target}`)
    ? ['secret']
    : [];
}
