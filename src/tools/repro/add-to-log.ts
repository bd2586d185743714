import type { RequestLog } from '../../requests/request-log.ts';
import type { World } from '../../world/world.ts';
import type { RequestRecord } from './format.ts';

/** Adds requests of a file to a request log, with their ids. A file has no durations and digests. */
export function addToLog(log: RequestLog, world: World, requests: readonly RequestRecord[]): void {
  for (const { kind: _, n: __, trace, ...entry } of requests) {
    log.append(world, {
      ...entry,
      durationUs: 0,
      startedMs: 0,
      bodySha256: null,
      signedString: null,
      steps: trace,
    });
  }
}
