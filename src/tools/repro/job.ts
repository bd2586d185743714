import { conflict } from '../../kernel/errors.ts';
import type { Analyzed } from './analyze.ts';
import { describeRepro } from './describe.ts';
import type { ExportJob } from './export-job.ts';
import type { Repro, ReproHead } from './format.ts';
import { headOf, openBase } from './head.ts';
import { assertReadable, MAX_HEADERS, MAX_INVENTORY, ReproFileError } from './limits.ts';
import {
  addOutputs,
  findDivergence,
  mapOutputs,
  mentions,
  noOutputs,
  type Outputs,
  outputsOf,
  withOutputs,
} from './outputs.ts';
import { comparePlaces, placesOf } from './places.ts';
import { jobFromFile, type StoredRequest } from './recorded-job.ts';
import type { InputRecord } from './recording/recording.ts';
import { PersonalData } from './replace.ts';
import { type Recorded, Replay } from './replay.ts';
import type { ExportedRepro } from './result.ts';
import { databaseOfRows, type rowsOf } from './rows.ts';
import { findForbidden, secretMask } from './scan.ts';
import { keepsSnapshot } from './select.ts';
import { linesOfRepro, packLines } from './write-repro.ts';

/** Email addresses that the code itself writes. */
const LITERALS = ['buyer@example.com'];

/**
 * As `runExport`; reads the job from the log first, if that is left to do.
 * @throws InFlightError; conflict if nobody could read the file
 */
export async function runExportOf(job: ExportJob | StoredRequest): Promise<Analyzed> {
  try {
    const read = 'logFile' in job ? jobFromFile(job) : job;
    const exported = await runExport(read);
    if (!read.question) return exported;
    const { analyze } = await import('./analyze.ts');
    return await analyze(exported, read.question, read.madeAt);
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
  const start = first.start?.n ?? 0;
  let problem = problemOf(findDivergence(outputsOf(inputs), first), first, 'replay');
  const rows = first.start?.rows ?? base.rows;
  const selected = first.start ? inputsFrom(inputs, first.start) : [...inputs];
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
    inputs: replaced.inputs,
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
  const shown = (each: string) => (job.keepPersonalData ? each : personal.response(each));
  const outputs = problem === null ? second : mapOutputs(outputsOf(selected), shown);
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
  if (!tooMany) return;
  const place = placesOf(inputs).get(tooMany);
  throw new ReproFileError(`input ${place}: more than ${MAX_HEADERS} headers`);
}

/** Returns whether a file may start with an act in the middle. */
function mayStart({ inputs, start, focus: [selected] }: ExportJob): (n: number) => boolean {
  const keeps = keepsSnapshot(inputs);
  const isWhole = start === 1;
  return (n) => !isWhole && n >= start && n <= Number.parseInt(selected, 10) && !keeps(n);
}

/** An act before which the world was idle. */
interface MiddleStart {
  n: number;
  rows: ReturnType<typeof rowsOf>;
  lastSeries: number;
  /** The counters before it. */
  counters: Readonly<Record<string, number>>;
}

/** The outputs of a replay, and the contents of the world. */
interface Replayed extends Outputs {
  digest: string;
  /** Of the world before the first act. */
  inventoryDigest: string;
  /** The place of the first input that is not as it was, apart from its outputs. */
  differs: string | null;
  /** Where a file starts that does not start with the recording. */
  start: MiddleStart | undefined;
}

/** Replays all inputs. @param mayStart whether a file may start with this act, if the world is idle */
async function replayAll(
  recorded: Recorded,
  mayStart: (n: number) => boolean = () => false,
): Promise<Replayed> {
  const replay = await Replay.open(recorded);
  try {
    const outputs = noOutputs();
    const inventory = replay.inventoryDigest();
    let start: MiddleStart | undefined;
    let differs: string | null = null;
    for (let next = replay.upcoming; next; next = replay.upcoming) {
      const n = next.kind === 'act' ? next.n : next.acts[0];
      if (!start && n !== undefined && mayStart(n) && replay.isIdle) {
        const { lastSeries, counters } = replay;
        start = { n, rows: replay.rows(), lastSeries, counters };
      }
      const performed = await replay.next();
      if (!performed) break;
      if (performed.differences.length > 0) differs ??= performed.place;
      addOutputs(outputs, performed);
    }
    return { ...outputs, digest: replay.digest(), inventoryDigest: inventory, differs, start };
  } finally {
    await replay.close();
  }
}

/** The inputs from an act on; the first has all counters. */
function inputsFrom(inputs: readonly InputRecord[], { n, counters }: MiddleStart): InputRecord[] {
  const isLater = (each: InputRecord) =>
    each.kind === 'act' ? each.n >= n : (each.acts[0] ?? each.after + 1) >= n;
  return inputs
    .filter(isLater)
    .map((each) =>
      each.kind === 'act' && each.n === n
        ? { ...each, counters: { ...counters, ...each.counters } }
        : each,
    );
}

function pack(
  repro: Repro,
  job: ExportJob,
  secrets: readonly string[],
  personal: readonly string[],
): ExportedRepro {
  const lines = linesOfRepro(repro);
  assertReadable(lines);
  const found = findForbidden(repro, lines, { secrets, personal });
  if (found) {
    const hint =
      found.what === 'a secret'
        ? 'an encoding hides it; run "sandlot requests clear", and record the problem again without it'
        : 'pass --keep-personal-data to leave personal data in';
    throw conflict(`${found.message}; ${hint}`);
  }
  const bytes = packLines(lines, job.compressed);
  return { bytes, summary: describeRepro(repro, { name: job.fileName, bytes: bytes.length }) };
}

type Problem = NonNullable<ReproHead['problem']>;

function problemOf(
  divergence: { input: string } | undefined,
  { differs }: Replayed,
  cause: Problem['cause'],
): Problem | null {
  const [input] = [divergence?.input ?? [], differs ?? []].flat().toSorted(comparePlaces);
  return input === undefined ? null : { input, cause };
}

/** The outputs from an act on. */
function from({ responses, sent }: Outputs, start: number): Outputs {
  const isLater = ([place]: readonly [string, unknown]) =>
    comparePlaces(place, String(start - 1)) > 0;
  return {
    responses: new Map([...responses].filter(isLater)),
    sent: new Map([...sent].filter(isLater)),
  };
}
