import { conflict } from '../kernel/errors.ts';
import type { Base, RecordedInput, RecordedSettings } from '../requests/recording.ts';
import { MIGRATIONS } from '../store/migrate.ts';
import { openMemoryStore } from '../store/open.ts';
import { VERSION } from '../version.ts';
import { seededTokenKey } from '../world/fresh-world.ts';
import { describeRepro } from './describe.ts';
import {
  FORMAT,
  FORMAT_VERSION,
  type Repro,
  type ReproHead,
  type ReproInput,
  type ReproRow,
} from './format.ts';
import { secretMask } from './mask-secrets.ts';
import {
  findDivergence,
  mapOutputs,
  mentions,
  type Outputs,
  outputsOf,
  withOutputs,
} from './outputs.ts';
import { fromReproInput, toReproInput } from './recorded-inputs.ts';
import { PersonalData } from './replace.ts';
import { type Replayed, replayAll } from './replay-all.ts';
import type { ExportedRepro } from './result.ts';
import { databaseOfRows, rowsOf, secretsIn } from './rows.ts';
import { scanLines } from './scan.ts';
import { linesOfRepro, packLines } from './write-repro.ts';

/** All that an export needs; it can be sent to a thread. */
export interface ExportJob {
  world: string;
  base: Base;
  settings: RecordedSettings;
  /** From the start of the recording to the end of the target. */
  inputs: RecordedInput[];
  /** Requests whose response came later. */
  unfinished: number[];
  /** Number of the first input of the file. */
  start: number;
  target: number;
  focus: [first: number, last: number];
  keepPersonalData: boolean;
  /** Secrets that must not be in the file. */
  secrets: string[];
  /** Worlds from whose names the token key may follow. */
  worldNames: string[];
  fileName: string;
  compressed: boolean;
  /** Real time, Unix ms. */
  madeAt: number;
}

/** Email addresses that the code itself writes. */
const LITERALS = ['buyer@example.com'];

/**
 * Makes a file: replays the recording, replaces personal data, replays again, and scans the result.
 * @throws conflict if the file would contain a secret or a replaced value
 */
export async function runExport(
  job: ExportJob,
  kept: readonly string[] = [],
): Promise<ExportedRepro> {
  const { world, settings, inputs, start } = job;
  const base = openBase(job);
  const first = await replayAll({ world, base: base.base, settings, inputs }, start);
  const unfinished = new Set(job.unfinished);
  const recorded = inputs.map(toReproInput).map((input) => withoutUnfinished(input, unfinished));
  let problem = problemOf(findDivergence(outputsOf(recorded), first), first, 'replay');

  const isWhole = inputs[0]?.n === start;
  const rows = isWhole ? base.rows : first.rowsAtStart;
  const selected = recorded.filter(({ n }) => n >= start);
  const personal = new PersonalData(kept);
  if (!job.keepPersonalData)
    for (const line of [...(rows ?? []), ...selected]) personal.learn(line);
  const replaced = {
    inputs: job.keepPersonalData ? selected : selected.map((input) => personal.input(input)),
    rows: job.keepPersonalData ? rows : rows?.map((row) => personal.row(row)),
  };
  personal.freeze();

  const head = headOf(job, {
    rows: replaced.rows,
    tokenKeyOf: base.tokenKeyOf,
    lastSeries: isWhole ? settings.lastSeries : first.lastSeriesAtStart,
    inventoryDigest: first.inventoryDigest,
  });
  const second = await replayAll(
    {
      world,
      base: replaced.rows
        ? { kind: 'database', bytes: databaseOfRows({ head, rows: replaced.rows }) }
        : job.base,
      settings: { ...settings, lastSeries: head.settings.last_id_series },
      inputs: replaced.inputs.map(fromReproInput),
    },
    start,
  );
  const text = (each: string) => (job.keepPersonalData ? each : personal.text(each));
  problem ??= problemOf(
    findDivergence(mapOutputs(from(first, start), text), mapOutputs(second, text)),
    second,
    'replacing',
  );
  const literals = LITERALS.filter(
    (each) => !kept.includes(each) && personal.originals().includes(each) && mentions(second, each),
  );
  if (literals.length > 0) return runExport(job, [...kept, ...literals]);

  const secrets = [...job.secrets, ...base.secrets];
  const outputs = problem === null ? second : mapOutputs(outputsOf(selected), text);
  const repro: Repro = {
    head: {
      ...head,
      verified: problem === null,
      problem,
      privacy: {
        personal_data: job.keepPersonalData ? 'kept' : 'replaced',
        replaced: personal.counts,
      },
    },
    rows: replaced.rows ?? [],
    // A replay mints the same secrets again.
    inputs: withOutputs(replaced.inputs, mapOutputs(outputs, secretMask(secrets))),
    end: { kind: 'end', digest: second.digest },
  };
  return pack(repro, job, secrets, personal.originals());
}

function pack(
  repro: Repro,
  job: ExportJob,
  secrets: readonly string[],
  personal: readonly string[],
): ExportedRepro {
  const lines = linesOfRepro(repro);
  const found = scanLines(lines, { secrets, personal });
  if (found) {
    const hint =
      found.what === 'secret' ? '' : '; pass --keep-personal-data to leave personal data in';
    throw conflict(
      `the file would contain ${found.what} in line ${found.line}, so it was not written${hint}`,
    );
  }
  const bytes = packLines(lines, job.compressed);
  return { bytes, summary: describeRepro(repro, { name: job.fileName, bytes: bytes.length }) };
}

interface OpenedBase {
  base: Base;
  /** Undefined for a seed. */
  rows: ReproRow[] | undefined;
  tokenKeyOf: string;
  secrets: string[];
}

/** Returns the base without secrets. @throws conflict if it cannot be made again elsewhere */
function openBase({ base, world, worldNames }: ExportJob): OpenedBase {
  if (base.kind === 'seed') return { base, rows: undefined, tokenKeyOf: world, secrets: [] };
  if (!base.bytes) {
    throw conflict(
      'the world as it was when this recording began is not stored: it was deleted to save space, or the sandbox was killed; record it again',
    );
  }
  const { client } = openMemoryStore(Buffer.from(base.bytes));
  try {
    const rows = rowsOf(client);
    const row = client.prepare('SELECT seed, token_key FROM world').get() as {
      seed: string;
      token_key: string;
    };
    const tokenKeyOf = worldNames.find((name) => seededTokenKey(row.seed, name) === row.token_key);
    if (tokenKeyOf === undefined) {
      throw conflict(
        `world: the tokens of ${world} are made with a key that does not follow from its seed, so a replay elsewhere would differ`,
      );
    }
    const head = {
      world,
      schema: MIGRATIONS.length,
      base: { type: 'rows', token_key_of: tokenKeyOf },
    };
    const bytes = databaseOfRows({ head: head as ReproHead, rows });
    return { base: { kind: 'database', bytes }, rows, tokenKeyOf, secrets: secretsIn(client) };
  } finally {
    client.close();
  }
}

function headOf(
  { world, base, settings, madeAt, target, focus }: ExportJob,
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
    base_url: settings.baseUrl,
    settings: {
      rate_limits: settings.rateLimits,
      last_id_series: made.lastSeries,
      frozen_at: settings.frozenAt,
      default_credential: settings.defaultCredential,
    },
    base:
      base.kind === 'seed' && !made.rows
        ? {
            type: 'seed',
            seed: base.seed,
            inventory: base.inventory,
            digest: made.inventoryDigest,
            created_at: base.createdAt,
            id_series: base.idSeries,
          }
        : { type: 'rows', token_key_of: made.tokenKeyOf },
    target,
    focus,
    verified: true,
    privacy: { personal_data: 'replaced', replaced: {} },
  };
}

function withoutUnfinished(input: ReproInput, unfinished: ReadonlySet<number>): ReproInput {
  if (input.kind === 'step' || !unfinished.has(input.n)) return input;
  const { response: _later, ...request } = input;
  return request;
}

type Problem = NonNullable<ReproHead['problem']>;

function problemOf(
  divergence: { input: number } | undefined,
  { missing }: Replayed,
  cause: Problem['cause'],
): Problem | null {
  const numbers = [
    divergence?.input ?? Number.POSITIVE_INFINITY,
    missing ?? Number.POSITIVE_INFINITY,
  ];
  const input = Math.min(...numbers);
  return Number.isFinite(input) ? { input, cause } : null;
}

/** The outputs from an input on. */
function from({ responses, sent }: Outputs, start: number): Outputs {
  const isLater = ([n]: readonly [number, unknown]) => n >= start;
  return {
    responses: new Map([...responses].filter(isLater)),
    sent: new Map([...sent].filter(isLater)),
  };
}
