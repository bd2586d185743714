import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { UsageError } from '../../cli/errors.ts';
import type { CommandLineIo } from '../../cli/io.ts';
import { jsonText } from '../../cli/write-file.ts';
import { shellQuote } from '../../client/curl.ts';
import { describeFileError } from '../../kernel/file-errors.ts';
import { escapeControls } from '../../kernel/printable.ts';
import { DEFAULT_DATA_DIR } from '../../server/record.ts';
import { sha256Hex } from '../../signing/signature.ts';
import { makePrivateFolder, makeStateFolder, PRIVATE_FILE } from '../../store/private-files.ts';
import type { ExploreOptions } from './commands.ts';
import { byHand, KINDS } from './kinds.ts';
import { causeOf, type Finding } from './outcomes.ts';
import { storyOf } from './story.ts';
import { pointOf } from './traffic.ts';

const FORMAT = 1;

const fault = z.object({ kind: z.string(), point: z.string() }).transform((saved, context) => {
  const kind = KINDS.find(({ id }) => id === saved.kind);
  const point = pointOf(saved.point);
  if (kind && point && kind.applies({ ...point, ...POSSIBLE })) return { kind, point };
  context.addIssue({ code: 'custom', message: `${saved.kind} cannot happen at ${saved.point}` });
  return z.NEVER;
});
/** What the key of a point does not say, and is therefore assumed of a saved one. */
const POSSIBLE = { hasQuote: true, delivers: true, hasLater: true };

/** A word of a command, which cannot contain NUL. */
const word = z.string().regex(/^[^\0]*$/);
const [text, count] = [word.min(1), z.int().min(0)];
const [url, flag] = [z.url({ protocol: /^https?$/ }), z.boolean()];
/** The options of a search that a replay needs, by their names in `commands.ts`: a new one must be added here too. */
const commands = { app: text, reset: text, state: text, check: text, catchUp: text };
const times = { clientTimeout: count, settle: count, runTimeout: count };
const sandbox = { config: text, inventory: count, seed: text, frozen_at: text, port: count };
const others = { ready: url, webhookUrl: url, restartApp: flag, workloadMustPass: flag };
const savedOptions = z.object({ ...commands, ...times, ...sandbox, ...others }).partial();

const savedFinding = z.object({
  format: z.literal(FORMAT),
  id: z.string(),
  property: z.string(),
  sentence: z.string(),
  faults: z.array(fault).min(1).max(2),
  workload: z.array(word).min(1),
  options: savedOptions,
});
/** A finding in a file. */
export type SavedFinding = z.output<typeof savedFinding>;

type Origin = { options: ExploreOptions; workload: readonly string[]; io: CommandLineIo };

/** Writes a finding, the output of its commands, and the repro of its world. @returns the finding as reported */
export function saveFinding(finding: Finding, origin: Origin, repro: Uint8Array | undefined) {
  const { options, workload, io } = origin;
  const { property, sentence, faults, rate, run } = finding;
  const folder = path.resolve(io.cwd, options.findings);
  // Another workload may fail by the same cause.
  const cause = JSON.stringify([causeOf(property, faults), workload]);
  const id = `exp_${sha256Hex(Buffer.from(cause)).slice(0, 8)}`;
  const file = (extension: string) => path.join(folder, `${id}.${extension}`);
  const reported = {
    ...{ id, property, sentence, rate: rate.join(' of '), flaky: rate[0] < rate[1] },
    faults: faults.map(({ kind, point }) => ({
      ...{ kind: kind.id, point: point.key, what: kind.what },
      by_hand: byHand(kind, point, options),
    })),
    story: storyOf(finding, options.clientTimeout),
    run_again: `sandlot explore --replay ${shellQuote(path.relative(io.cwd, file('json')))}`,
  };
  const content = { format: FORMAT, ...reported, workload, options: savedOptions.parse(options) };
  try {
    makeFolder(folder, io.cwd);
    fs.writeFileSync(file('json'), jsonText(content), { mode: PRIVATE_FILE });
    fs.writeFileSync(file('log'), escapeControls(run.output), { mode: PRIVATE_FILE });
    if (repro) fs.writeFileSync(file('repro.gz'), repro, { mode: PRIVATE_FILE });
  } catch (error) {
    reported.run_again = `impossible, because not saved: ${describeFileError(error, 'not found')}`;
  }
  return reported;
}

/** Makes the folder of findings, and the state folder that it may be in. A run may have removed it. */
function makeFolder(folder: string, cwd: string): void {
  const state = path.resolve(cwd, DEFAULT_DATA_DIR);
  if (folder.startsWith(state + path.sep)) makeStateFolder(state);
  makePrivateFolder(folder);
}

/** Reads the findings of the folder, by name. Makes it, unless only the plan is printed. @throws UsageError */
export function readFindings({ findings, list }: ExploreOptions, cwd: string): SavedFinding[] {
  const folder = path.resolve(cwd, findings);
  const names = orUsageError(`--findings: cannot use ${folder}`, () => {
    if (!list) makeFolder(folder, cwd);
    return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
  });
  return names
    .filter((name) => /^exp_.*\.json$/.test(name))
    .map((name) => readFinding('--findings', path.join(folder, name)));
}

/** @param option names the file in the error. @throws UsageError if it cannot be read, or is not a finding */
export function readFinding(option: string, file: string): SavedFinding {
  return orUsageError(`${option}: cannot read ${file}`, () =>
    savedFinding.parse(JSON.parse(fs.readFileSync(file, 'utf8'))),
  );
}

function orUsageError<Result>(problem: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const what = `it is not a finding: ${issue?.path.join('.')}: ${issue?.message}`;
    throw new UsageError(`${problem}: ${issue ? what : describeFileError(error, 'not found')}`);
  }
}
