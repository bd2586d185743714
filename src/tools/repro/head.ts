import { conflict } from '../../kernel/errors.ts';
import { MIGRATIONS } from '../../store/migrate.ts';
import { type Client, openMemoryStore } from '../../store/open.ts';
import { VERSION } from '../../version.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import { seededTokenKey } from '../../world/fresh-world.ts';
import { FORMAT, FORMAT_VERSION, type ReproHead, type ReproRow } from './format.ts';
import type { ExportJob } from './recorded-job.ts';
import { databaseOfRows, rowsOf, secretsIn } from './rows.ts';

/** Returns the base without secrets; `rows` is undefined for a seed. @throws conflict if it cannot be made again elsewhere */
export function openBase({ base, world, worldNames }: ExportJob) {
  if (!base) {
    throw conflict(
      'the world as it was when this recording began is not stored: it was deleted to save space; record it again',
    );
  }
  if ('seed' in base) return { base, rows: undefined, tokenKeyOf: world, secrets: [] };
  const { client } = openMemoryStore(Buffer.from(base));
  try {
    const rows = rowsOf(client);
    const tokenKeyOf = tokenKeyOwner(client, [world, DEFAULT_WORLD, ...worldNames]);
    if (tokenKeyOf === undefined) {
      throw conflict(
        `world: the tokens of ${world} are made with a key that does not follow from its seed, so a replay elsewhere would differ`,
      );
    }
    const rowsBase = { type: 'rows' as const, token_key_of: tokenKeyOf };
    const head = { world, schema: MIGRATIONS.length, base: rowsBase };
    return { base: databaseOfRows({ head, rows }), rows, tokenKeyOf, secrets: secretsIn(client) };
  } finally {
    client.close();
  }
}

/** Returns the name of the world from which the token key of a database follows, with the seed. */
function tokenKeyOwner(client: Client, worldNames: readonly string[]): string | undefined {
  const world = client.prepare<[], { seed: string; token_key: string }>(
    'SELECT seed, token_key FROM world',
  );
  const { seed = '', token_key } = world.get() ?? {};
  return worldNames.find((name) => seededTokenKey(seed, name) === token_key);
}

export function headOf(
  { world, base, settings: { base_url, ...settings }, madeAt, target, focus }: ExportJob,
  made: {
    rows: ReproRow[] | undefined;
    tokenKeyOf: string;
    lastSeries: number;
    inventoryDigest: string;
  },
): ReproHead {
  return {
    kind: 'head',
    format: FORMAT,
    version: FORMAT_VERSION,
    sandlot: VERSION,
    schema: MIGRATIONS.length,
    made_at: madeAt,
    origin: 'sandbox',
    world,
    base_url,
    settings: { ...settings, last_id_series: made.lastSeries },
    base:
      base && 'seed' in base && !made.rows
        ? { ...base, digest: made.inventoryDigest }
        : { type: 'rows', token_key_of: made.tokenKeyOf },
    target,
    focus,
    verified: true,
    privacy: { personal_data: 'replaced', replaced: {} },
  };
}
