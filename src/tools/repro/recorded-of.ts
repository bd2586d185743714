import type { Repro } from './format.ts';
import type { Recorded } from './replay.ts';
import { databaseOfRows } from './rows.ts';

/** Returns a file as it is replayed. @throws ReproFileError if its rows are not those of a world */
export function recordedOf({ head, rows, inputs }: Omit<Repro, 'end'>): Recorded {
  const { base, settings, world } = head;
  return {
    world,
    base:
      base.type === 'rows'
        ? { kind: 'database', bytes: databaseOfRows({ head, rows }) }
        : {
            kind: 'seed',
            seed: base.seed,
            inventory: base.inventory,
            createdAt: base.created_at,
            idSeries: base.id_series,
          },
    settings: {
      baseUrl: head.base_url,
      rateLimits: Object.fromEntries(
        Object.entries(settings.rate_limits).map(([name, limit]) => [name, limit ?? null]),
      ),
      lastSeries: settings.last_id_series,
      frozenAt: settings.frozen_at,
      defaultCredential: settings.default_credential,
    },
    inputs,
    setsCounters: head.origin !== 'sandbox',
  };
}
