import { conflict } from '../../kernel/errors.ts';
import { describeRepro } from './describe.ts';
import { differencesOf, mapOutput, toFileInput, withResult } from './differences.ts';
import type { InputRecord, Repro, ReproHead } from './format.ts';
import { linesOfRepro, packLines } from './read-repro.ts';
import { PersonalData } from './replace.ts';
import { Replay, type ReproContents } from './replay.ts';
import type { ExportedRepro } from './result.ts';
import { inventoryDigest, readRows } from './rows.ts';
import { findForbidden, secretMask } from './scan.ts';
import { lastSnapshotUse } from './select.ts';

/** A recording as the contents of a file, without the secrets of the base, but with personal data. */
export interface RecordedRepro {
  repro: ReproContents;
  /** Number of the first act with which the file may start. */
  start: number;
  /** Secrets that must not be in the file. */
  secrets: readonly string[];
}

/**
 * Makes a file: replays the recording, replaces personal data, replays again, and scans the result.
 * @param subject part of the name of the file
 * @throws conflict if the file would contain a secret or a replaced value
 */
export async function exportFile(
  recorded: RecordedRepro,
  keepPersonalData: boolean,
  subject = 'newest',
): Promise<ExportedRepro> {
  const first = await replayAll(recorded.repro, startCondition(recorded));
  const { head, rows, inputs } = first.contents;
  const personal = new PersonalData();
  if (!keepPersonalData) for (const line of [...rows, ...inputs]) personal.collect(line);
  const replacedInputs = keepPersonalData ? inputs : inputs.map((input) => personal.input(input));
  const replacedRows = keepPersonalData ? rows : rows.map((row) => personal.row(row));
  const replacedRepro = { head, rows: replacedRows, inputs: replacedInputs };
  personal.seal();

  const second = await replayAll(replacedRepro);
  const { results } = second.replay;
  const replace = (text: string) => (keepPersonalData ? text : personal.text(text));
  const changedInput = replacedRepro.inputs.find((input, n) => {
    const expected = withResult(input, first.replay.results.get(inputs[n] ?? input));
    const [before, after] = [mapOutput(expected, replace), mapOutput(results.get(input), replace)];
    const isSame = before && differencesOf(before, after).length === 0;
    return !isSame || !second.replay.wasPerformed(input);
  });
  const problem =
    problemOf(first.replay.divergenceOf(recorded.repro.inputs)?.input, 'replay') ??
    problemOf(changedInput && second.replay.placeOf(changedInput), 'replacing');

  // A replay mints the same secrets as the recorded sandbox.
  const mask = secretMask(recorded.secrets);
  const outputOf = (input: InputRecord, n: number) =>
    problem === null ? results.get(input) : mapOutput(inputs[n], replace);
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
    rows: replacedRepro.rows,
    inputs: replacedRepro.inputs.map((input, n) =>
      toFileInput(input, mapOutput(outputOf(input, n), mask)),
    ),
    end: { kind: 'end', digest: second.digest },
  };
  const lines = linesOfRepro(repro);
  assertClean(repro, lines, { secrets: recorded.secrets, personal: personal.originals() });
  const bytes = packLines(lines);
  const name = `sandlot-${head.world}-${subject}.repro.gz`;
  return { bytes, summary: describeRepro(repro, { name, bytes: bytes.length }) };
}

/** Returns the condition. A file that starts later has no snapshots, which later requests may need. */
function startCondition({ repro: { head, inputs }, start }: RecordedRepro): StartCondition {
  const lastUse = lastSnapshotUse(inputs);
  const isWhole = start === 1;
  return (n, { isIdle, hasSnapshots }) =>
    !isWhole &&
    n >= start &&
    n <= Number.parseInt(head.focus[0], 10) &&
    !(hasSnapshots && n <= lastUse) &&
    isIdle;
}

/** Whether a file may start with act `n`, the next one of the replay. */
type StartCondition = (n: number, replay: Replay) => boolean;

interface FinishedReplay {
  replay: Replay;
  digest: string;
  /** The replayed contents, from the first act on with which a file may start. */
  contents: ReproContents;
}

/** Replays all inputs. @param canStart whether a file may start with an act */
async function replayAll(
  repro: ReproContents,
  canStart: StartCondition = () => false,
): Promise<FinishedReplay> {
  const { head, rows, inputs } = repro;
  const replay = await Replay.open(repro);
  try {
    const digest = await inventoryDigest(() => replay.client);
    const base = head.base.type === 'seed' ? { ...head.base, digest } : head.base;
    let contents: ReproContents | undefined;
    const before = (input: InputRecord) => {
      if (contents || input.kind === 'request' || !canStart(input.n, replay)) return;
      contents = contentsFrom(input.n, replay);
    };
    for await (const _ of replay.perform(undefined, before));
    contents ??= { head: { ...head, base }, rows, inputs };
    return { replay, digest: replay.digest(), contents };
  } finally {
    await replay.close();
  }
}

/** Returns the contents from the next act of a replay on. The first act gets all counters. */
function contentsFrom(
  start: number,
  { repro, client, counters, lastSeries }: Replay,
): ReproContents {
  const { head, inputs } = repro;
  const { base, world } = head;
  const firstActOf = (input: InputRecord) =>
    input.kind === 'act' ? input.n : (input.acts[0] ?? input.after + 1);
  return {
    head: {
      ...head,
      base: base.type === 'rows' ? base : { type: 'rows', token_key_of: world },
      settings: { ...head.settings, last_id_series: lastSeries },
    },
    rows: readRows(client),
    inputs: inputs
      .filter((input) => firstActOf(input) >= start)
      .map((input) =>
        input.kind === 'act' && input.n === start
          ? { ...input, counters: { ...counters, ...input.counters } }
          : input,
      ),
  };
}

/** @throws conflict */
function assertClean(
  repro: Repro,
  lines: readonly string[],
  forbidden: Parameters<typeof findForbidden>[2],
): void {
  const finding = findForbidden(repro, lines, forbidden);
  if (!finding) return;
  const hint =
    finding.kind === 'a secret'
      ? 'an encoding hides it; run "sandlot requests clear", and record the problem again without it'
      : 'pass --keep-personal-data to leave personal data in';
  throw conflict(`${finding.message}; ${hint}`);
}

type Problem = NonNullable<ReproHead['problem']>;

function problemOf(input: string | undefined, cause: Problem['cause']): Problem | null {
  return input === undefined ? null : { input, cause };
}
