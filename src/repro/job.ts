import { conflict } from '../kernel/errors.ts';
import { scanLines, secretMask } from '../redaction/scan.ts';
import { describeRepro } from './describe.ts';
import type { ExportJob } from './export-job.ts';
import type { Repro, ReproHead } from './format.ts';
import { headOf, openBase } from './head.ts';
import { assertReadable, MAX_HEADERS, MAX_INVENTORY } from './limits.ts';
import {
  findDivergence,
  mapOutputs,
  mentions,
  type Outputs,
  outputsOf,
  withOutputs,
} from './outputs.ts';
import { fromReproInput, toReproInput } from './recorded-inputs.ts';
import { jobFromFile, type StoredRequest } from './recorded-job.ts';
import { PersonalData } from './replace.ts';
import { type Replayed, replayAll } from './replay-all.ts';
import type { ExportedRepro } from './result.ts';
import { databaseOfRows } from './rows.ts';
import { keepsSnapshot } from './select.ts';
import { ReproFileError } from './unpack.ts';
import { linesOfRepro, packLines } from './write-repro.ts';

/** Email addresses that the code itself writes. */
const LITERALS = ['buyer@example.com'];

/**
 * As `runExport`; reads the job from the log first, if that is left to do.
 * @throws InFlightError; conflict if nobody could read the file
 */
export async function runExportOf(job: ExportJob | StoredRequest): Promise<ExportedRepro> {
  try {
    return await runExport('logFile' in job ? jobFromFile(job) : job);
  } catch (error) {
    if (!(error instanceof ReproFileError)) throw error;
    throw conflict(`no file was written, because it would exceed a limit: ${error.message}`);
  }
}

/**
 * Makes a file: replays the recording, replaces personal data, replays again, and scans the result.
 * @throws conflict if the file would contain a secret or a replaced value
 */
export async function runExport(
  job: ExportJob,
  kept: readonly string[] = [],
): Promise<ExportedRepro> {
  const { world, settings, inputs } = job;
  assertWithinLimits(job);
  const base = openBase(job);
  const first = await replayAll({ world, base: base.base, settings, inputs }, mayStart(job));
  const start = first.start?.n ?? inputs[0]?.n ?? 1;
  const recorded = inputs.map(toReproInput);
  let problem = problemOf(findDivergence(outputsOf(recorded), first), first, 'replay');
  const rows = first.start?.rows ?? base.rows;
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
    lastSeries: first.start?.lastSeries ?? settings.lastSeries,
    inventoryDigest: first.inventoryDigest,
  });
  const second = await replayAll({
    world,
    base: replaced.rows
      ? { kind: 'database', bytes: databaseOfRows({ head, rows: replaced.rows }) }
      : job.base,
    settings: { ...settings, lastSeries: head.settings.last_id_series },
    inputs: replaced.inputs.map(fromReproInput),
  });
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

/** @throws ReproFileError for what a file cannot hold */
function assertWithinLimits({ base, inputs }: ExportJob): void {
  if (base.kind === 'seed' && base.inventory > MAX_INVENTORY) {
    throw new ReproFileError(`the world has more than ${MAX_INVENTORY} generated domains`);
  }
  const tooMany = inputs.find(
    (each) => each.kind === 'request' && each.headers.length > MAX_HEADERS,
  );
  if (tooMany) throw new ReproFileError(`input ${tooMany.n}: more than ${MAX_HEADERS} headers`);
}

/** Returns whether a file may start with a request in the middle. */
function mayStart({ inputs, start, focus: [selected] }: ExportJob): (n: number) => boolean {
  const keeps = keepsSnapshot(inputs);
  const isWhole = inputs[0]?.n === start;
  return (n) => !isWhole && n >= start && n <= selected && !keeps(n);
}

function pack(
  repro: Repro,
  job: ExportJob,
  secrets: readonly string[],
  personal: readonly string[],
): ExportedRepro {
  const lines = linesOfRepro(repro);
  assertReadable(lines);
  const found = scanLines(lines, { secrets, personal });
  if (found) {
    const what = `${placeOf(lines[found.line - 1])} would contain ${found.what}`;
    const hint =
      found.what === 'a secret'
        ? 'an encoding hides it; run "sandlot requests clear", and record the problem again without it'
        : 'pass --keep-personal-data to leave personal data in';
    throw conflict(`${what}, so no file was written; ${hint}`);
  }
  const bytes = packLines(lines, job.compressed);
  return { bytes, summary: describeRepro(repro, { name: job.fileName, bytes: bytes.length }) };
}

/** `input 3`, or what else a line of a file is. */
function placeOf(line = '{}'): string {
  const { kind, n, table } = JSON.parse(line) as { kind?: string; n?: number; table?: string };
  return n === undefined ? `the ${table ? `rows of table ${table}` : kind}` : `input ${n}`;
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
