import { conflict } from '../../kernel/errors.ts';
import { describeRepro } from './describe.ts';
import { differencesOf, inFile, mapOutput, withOutput } from './differences.ts';
import type { InputRecord, Repro, ReproHead } from './format.ts';
import { linesOfRepro, packLines } from './read-repro.ts';
import { PersonalData } from './replace.ts';
import { Replay, type Replayed } from './replay.ts';
import type { ExportedRepro } from './result.ts';
import { inventoryDigest, rowsOf } from './rows.ts';
import { findForbidden, secretMask } from './scan.ts';
import { lastSnapshotUse } from './select.ts';

/** A recording as a file. It holds no secrets of the base, but personal data. */
export interface Recorded {
  repro: Replayed;
  /** Number of the first act, or from where on the file may start. */
  start: number;
  /** Secrets that must not be in the file. */
  secrets: readonly string[];
}

/**
 * Makes a file: replays the recording, replaces personal data, replays again, and scans the result.
 * @param about what the name of the file says
 * @throws conflict if the file would contain a secret or a replaced value
 */
export async function exportFile(
  recorded: Recorded,
  keepPersonalData: boolean,
  about = 'newest',
): Promise<ExportedRepro> {
  const first = await replayAll(recorded.repro, mayStart(recorded));
  const { head, rows, inputs } = first.selected;
  const personal = new PersonalData();
  if (!keepPersonalData) for (const line of [...rows, ...inputs]) personal.learn(line);
  const replacedInputs = keepPersonalData ? inputs : inputs.map((each) => personal.input(each));
  const replacedRows = keepPersonalData ? rows : rows.map((row) => personal.row(row));
  const replaced = { head, rows: replacedRows, inputs: replacedInputs };
  personal.freeze();

  const second = await replayAll(replaced);
  const { made } = second.replay;
  const text = (each: string) => (keepPersonalData ? each : personal.text(each));
  const changed = replaced.inputs.find((input, n) => {
    const expected = withOutput(input, first.replay.made.get(inputs[n] ?? input));
    const [before, after] = [mapOutput(expected, text), mapOutput(made.get(input), text)];
    const isSame = before && differencesOf(before, after).length === 0;
    return !isSame || !second.replay.isDone(input);
  });
  const problem =
    problemOf(first.replay.divergenceOf(recorded.repro.inputs)?.input, 'replay') ??
    problemOf(changed && second.replay.placeOf(changed), 'replacing');

  // A replay mints the same secrets again.
  const mask = secretMask(recorded.secrets);
  const outputOf = (input: InputRecord, n: number) =>
    problem === null ? made.get(input) : mapOutput(inputs[n], text);
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
    rows: replaced.rows,
    inputs: replaced.inputs.map((input, n) => inFile(input, mapOutput(outputOf(input, n), mask))),
    end: { kind: 'end', digest: second.digest },
  };
  const lines = linesOfRepro(repro);
  assertClean(repro, lines, { secrets: recorded.secrets, personal: personal.originals() });
  const bytes = packLines(lines);
  const name = `sandlot-${head.world}-${about}.repro.gz`;
  return { bytes, summary: describeRepro(repro, { name, bytes: bytes.length }) };
}

/** Returns whether a file may start with an act in the middle. It has no snapshots, which later requests may need. */
function mayStart({ repro: { head, inputs }, start }: Recorded): MayStart {
  const lastUse = lastSnapshotUse(inputs);
  const isWhole = start === 1;
  return (n, { isIdle, hasSnapshots }) =>
    !isWhole &&
    n >= start &&
    n <= Number.parseInt(head.focus[0], 10) &&
    !(hasSnapshots && n <= lastUse) &&
    isIdle;
}

/** Whether a file may start with act `n`, before which a replay is. */
type MayStart = (n: number, replay: Replay) => boolean;

/** A replay that has ended. */
interface Ended {
  replay: Replay;
  digest: string;
  /** What was replayed, or only what comes from the act on with which a file may start. */
  selected: Replayed;
}

/** Replays all inputs. @param mayStart whether a file may start with an act */
async function replayAll(repro: Replayed, mayStart: MayStart = () => false): Promise<Ended> {
  const { head, rows, inputs } = repro;
  const replay = await Replay.open(repro);
  try {
    const digest = await inventoryDigest(() => replay.client);
    const base = head.base.type === 'seed' ? { ...head.base, digest } : head.base;
    let selected: Replayed | undefined;
    const before = (input: InputRecord) => {
      if (selected || input.kind === 'request' || !mayStart(input.n, replay)) return;
      selected = startingWith(input.n, replay);
    };
    for await (const _ of replay.perform(undefined, before));
    selected ??= { head: { ...head, base }, rows, inputs };
    return { replay, digest: replay.digest(), selected };
  } finally {
    await replay.close();
  }
}

/** The part of a file from an act on, before which a replay is. Its first act has all counters. */
function startingWith(start: number, { repro, client, counters, lastSeries }: Replay): Replayed {
  const { head, inputs } = repro;
  const { base, world } = head;
  const firstOf = (each: InputRecord) =>
    each.kind === 'act' ? each.n : (each.acts[0] ?? each.after + 1);
  return {
    head: {
      ...head,
      base: base.type === 'rows' ? base : { type: 'rows', token_key_of: world },
      settings: { ...head.settings, last_id_series: lastSeries },
    },
    rows: rowsOf(client),
    inputs: inputs
      .filter((each) => firstOf(each) >= start)
      .map((each) =>
        each.kind === 'act' && each.n === start
          ? { ...each, counters: { ...counters, ...each.counters } }
          : each,
      ),
  };
}

/** @throws conflict */
function assertClean(
  repro: Repro,
  lines: readonly string[],
  forbidden: Parameters<typeof findForbidden>[2],
): void {
  const found = findForbidden(repro, lines, forbidden);
  if (!found) return;
  const hint =
    found.what === 'a secret'
      ? 'an encoding hides it; run "sandlot requests clear", and record the problem again without it'
      : 'pass --keep-personal-data to leave personal data in';
  throw conflict(`${found.message}; ${hint}`);
}

type Problem = NonNullable<ReproHead['problem']>;

function problemOf(input: string | undefined, cause: Problem['cause']): Problem | null {
  return input === undefined ? null : { input, cause };
}
