import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Client } from '../../store/open.ts';
import { POLICIES } from './column-policy.ts';
import { selectAll } from './rows.ts';

/** SHA-256 over all rows of a world, without nonces and secrets. */
export function digestOf(client: Client): string {
  const hash = createHash('sha256');
  for (const [table, policies] of POLICIES) {
    // A row of it holds what shared a tick, which a replay does not.
    if (table === 'nonces') continue;
    hash.update(`${table}\n`);
    const kept = [...policies].flatMap(([name, policy]) => (policy === 'secret' ? [] : [name]));
    for (const row of selectAll(client, table, kept).raw().iterate()) {
      hash.update(`${JSON.stringify(row)}\n`);
    }
  }
  return hash.digest('hex');
}

/** SHA-256 over the listings of a world. Other work goes on in between; a change meanwhile gives a digest of neither state. */
export async function inventoryDigest(client: () => Client): Promise<string> {
  const hash = createHash('sha256');
  const columns = [...(POLICIES.get('listings')?.keys() ?? [])];
  const query = `SELECT ${columns.join()} FROM listings WHERE id > ? ORDER BY id LIMIT ${SLICE}`;
  for (let last = 0, count = SLICE; count === SLICE; ) {
    const rows = client().prepare<[number], { id: number }>(query).all(last);
    hash.update(JSON.stringify(rows.map((row) => Object.values(row))));
    last = rows.at(-1)?.id ?? last;
    count = rows.length;
    await setImmediate();
  }
  return hash.digest('hex');
}

/** A slice takes a few milliseconds. */
const SLICE = 1_000;
