import { conflict } from '../../kernel/errors.ts';
import type { Analyzed } from './analyze.ts';
import { describeRepro } from './describe.ts';
import { differencesOf, inFile, mapOutput, withOutput } from './differences.ts';
import { inventoryDigest } from './digest.ts';
import type { Repro, ReproHead } from './format.ts';
import { headOf, openBase } from './head.ts';
import { assertReadable, MAX_HEADERS, MAX_INVENTORY, ReproFileError } from './limits.ts';
import { placesOf } from './places.ts';
import type { ExportJob } from './recorded-job.ts';
import { jobFromFile, type StoredRequest } from './recorded-job.ts';
import type { InputRecord } from './recording/recording.ts';
import { PersonalData } from './replace.ts';
import { type Recorded, Replay } from './replay.ts';
import type { ExportedRepro } from './result.ts';
import { databaseOfRows, rowsOf } from './rows.ts';
import { findForbidden, secretMask } from './scan.ts';
import { lastSnapshotUse } from './select.ts';
import { linesOfRepro, packLines } from './write-repro.ts';

/**
 * As `runExport`; reads the job from the log first, if that is left to do.
 * @throws InFlightError; conflict if nobody could read the file
 */
export async function runExportOf(job: ExportJob | StoredRequest): Promise<Analyzed> {
  try {
    const read = 'logFile' in job ? jobFromFile(job) : job;
    const exported = await runExport(read);
    const { question } = read.options;
    if (!question) return exported;
    const { analyze } = await import('./analyze.ts');
    return await analyze(exported, question, read.madeAt);
  } catch (error) {
    if (!(error instanceof ReproFileError)) throw error;
    throw conflict(`no file was written, because it would exceed a limit: ${error.message}`);
  }
}

/**
 * Makes a file: replays the recording, replaces personal data, replays again, and scans the result.
 * @throws conflict if the file would contain a secret or a replaced value
 */
export async function runExport(job: ExportJob): Promise<ExportedRepro> {
  const { world, settings, inputs, options } = job;
  const { keepPersonalData = false } = options;
  assertWithinLimits(job);
  const base = openBase(job);
  const first = await replayAll({ world, base: base.base, settings, inputs }, mayStart(job));
  const { start } = first;
  const selected = start ? inputs.filter((each) => isFrom(start, each)) : inputs;
  const rows = start?.rows ?? base.rows;
  const personal = new PersonalData();
  if (!keepPersonalData) for (const line of [...(rows ?? []), ...selected]) personal.learn(line);
  const replaced = {
    inputs: selected
      .map((input) => withAllCounters(start, input))
      .map((input) => (keepPersonalData ? input : personal.input(input))),
    rows: keepPersonalData ? rows : rows?.map((row) => personal.row(row)),
  };
  personal.freeze();

  const head = headOf(job, {
    rows: replaced.rows,
    tokenKeyOf: base.tokenKeyOf,
    lastSeries: start?.lastSeries ?? settings.last_id_series,
    inventoryDigest: first.inventoryDigest,
  });
  const second = await replayAll({
    world,
    base: replaced.rows ? databaseOfRows({ head, rows: replaced.rows }) : base.base,
    settings: { ...settings, last_id_series: head.settings.last_id_series },
    inputs: replaced.inputs,
  });
  const { made } = second.replay;
  const text = (each: string) => (keepPersonalData ? each : personal.text(each));
  const changed = replaced.inputs.find((input, n) => {
    const expected = withOutput(input, first.replay.made.get(selected[n] ?? input));
    const [before, after] = [mapOutput(expected, text), mapOutput(made.get(input), text)];
    const isSame = before && differencesOf(before, after).length === 0;
    return !isSame || !second.replay.isDone(input);
  });
  const problem =
    problemOf(first.replay.divergenceOf(inputs)?.input, 'replay') ??
    problemOf(changed && second.replay.placeOf(changed), 'replacing');

  const secrets = [...job.secrets, ...base.secrets];
  // A replay mints the same secrets again.
  const mask = secretMask(secrets);
  const outputOf = (input: InputRecord, n: number) =>
    problem === null ? made.get(input) : mapOutput(selected[n], text);
  const repro: Repro = {
    head: {
      ...head,
      verified: problem === null,
      problem,
      privacy: {
        personal_data: keepPersonalData ? 'kept' : 'replaced',
        replaced: personal.counts,
      },
    },
    rows: replaced.rows ?? [],
    inputs: replaced.inputs.map((input, n) => inFile(input, mapOutput(outputOf(input, n), mask))),
    end: { kind: 'end', digest: second.digest },
  };
  return pack(repro, job, secrets, personal.originals());
}

/** @throws ReproFileError for what a file cannot hold */
function assertWithinLimits({ base, inputs }: ExportJob): void {
  if (base && 'seed' in base && base.inventory > MAX_INVENTORY) {
    throw new ReproFileError(`the world has more than ${MAX_INVENTORY} generated domains`);
  }
  const tooMany = inputs.find(
    (each) => each.kind === 'request' && each.headers.length > MAX_HEADERS,
  );
  if (!tooMany) return;
  const place = placesOf(inputs).get(tooMany);
  throw new ReproFileError(`input ${place}: more than ${MAX_HEADERS} headers`);
}

/** Returns whether a file may start with an act in the middle. It has no snapshots, which later requests may need. */
function mayStart({ inputs, start, focus: [selected] }: ExportJob): MayStart {
  const lastUse = lastSnapshotUse(inputs);
  const isWhole = start === 1;
  return (n, { isIdle, hasSnapshots }) =>
    !isWhole &&
    n >= start &&
    n <= Number.parseInt(selected, 10) &&
    !(hasSnapshots && n <= lastUse) &&
    isIdle;
}

/** Whether a file may start with act `n`, before which a replay is. */
type MayStart = (n: number, replay: Replay) => boolean;

/** An act before which the world was idle. */
interface MiddleStart {
  n: number;
  rows: ReturnType<typeof rowsOf>;
  lastSeries: number;
  /** The counters before it. */
  counters: Readonly<Record<string, number>>;
}

/** A replay that has ended, and the contents of the world. */
interface Replayed {
  replay: Replay;
  digest: string;
  /** Of the world before the first act. */
  inventoryDigest: string;
  /** Where a file starts that does not start with the recording. */
  start: MiddleStart | undefined;
}

/** Replays all inputs. @param mayStart whether a file may start with an act */
async function replayAll(recorded: Recorded, mayStart: MayStart = () => false): Promise<Replayed> {
  const replay = await Replay.open(recorded);
  try {
    const inventory = await inventoryDigest(() => replay.client);
    let start: MiddleStart | undefined;
    const before = (input: InputRecord) => {
      if (start || input.kind === 'request' || !mayStart(input.n, replay)) return;
      const { lastSeries, counters } = replay;
      start = { n: input.n, rows: rowsOf(replay.client), lastSeries, counters };
    };
    for await (const _ of replay.perform(undefined, before));
    return { replay, digest: replay.digest(), inventoryDigest: inventory, start };
  } finally {
    await replay.close();
  }
}

function isFrom({ n }: MiddleStart, input: InputRecord): boolean {
  return (input.kind === 'act' ? input.n : (input.acts[0] ?? input.after + 1)) >= n;
}

/** The first act of a file has all counters. */
function withAllCounters(start: MiddleStart | undefined, input: InputRecord): InputRecord {
  if (input.kind === 'request' || input.n !== start?.n) return input;
  return { ...input, counters: { ...start.counters, ...input.counters } };
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
  const { compressed = true, request, order, domain } = job.options;
  const bytes = packLines(lines, compressed);
  const about = request ?? order ?? domain ?? 'newest';
  const name = `sandlot-${job.world}-${about}.repro.${compressed ? 'gz' : 'jsonl'}`;
  return { bytes, summary: describeRepro(repro, { name, bytes: bytes.length }) };
}

type Problem = NonNullable<ReproHead['problem']>;

function problemOf(input: string | undefined, cause: Problem['cause']): Problem | null {
  return input === undefined ? null : { input, cause };
}
