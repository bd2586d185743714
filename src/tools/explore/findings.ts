import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { UsageError } from '../../cli/errors.ts';
import type { CommandLineIo } from '../../cli/io.ts';
import { jsonText } from '../../cli/write-file.ts';
import { shellQuote } from '../../client/curl.ts';
import { messageOf } from '../../kernel/errors.ts';
import { escapeControls } from '../../kernel/printable.ts';
import { sha256Hex } from '../../signing/signature.ts';
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
/** What a point of a file may have been. */
const POSSIBLE = { hasQuote: true, delivers: true, hasLater: true };

const [text, count] = [z.string().min(1), z.int().min(0)];
const [url, flag] = [z.url({ protocol: /^https?$/ }), z.boolean()];
/** The options of a search that a replay needs. */
const commands = { app: text, reset: text, state: text, check: text, catchUp: text };
const times = { clientTimeout: count, settle: count, runTimeout: count };
const sandbox = { config: text, inventory: count, seed: text, frozen_at: text, port: count };
const others = { ready: url, webhookUrl: url, restartApp: flag, workloadMustPass: flag };
const options = z.object({ ...commands, ...times, ...sandbox, ...others }).partial();

const savedFinding = z.object({
  format: z.literal(FORMAT),
  id: z.string(),
  property: z.string(),
  sentence: z.string(),
  faults: z.array(fault).min(1).max(2),
  workload: z.array(z.string()).min(1),
  options,
});
/** A finding in a file. */
export type SavedFinding = z.output<typeof savedFinding>;

/**
 * Writes a finding, the output of its commands, and the repro of its world.
 * @returns the finding as it is in the report
 */
export function saveFinding(
  finding: Finding,
  {
    options: given,
    workload,
    io,
  }: { options: ExploreOptions; workload: readonly string[]; io: CommandLineIo },
  repro: Uint8Array | undefined,
) {
  const { property, sentence, faults, rate, run } = finding;
  const [failed, runs] = rate;
  const folder = path.resolve(io.cwd, given.findings);
  const id = `exp_${sha256Hex(Buffer.from(causeOf(property, faults))).slice(0, 8)}`;
  const file = (extension: string) => path.join(folder, `${id}.${extension}`);
  const reported = {
    ...{ id, property, sentence, rate: `${failed} of ${runs}`, flaky: failed < runs },
    faults: faults.map(({ kind, point }) => ({
      ...{ kind: kind.id, point: point.key, what: kind.what },
      by_hand: byHand(kind, point, given),
    })),
    story: storyOf(finding, given.clientTimeout),
    run_again: `sandlot explore --replay ${shellQuote(path.relative(io.cwd, file('json')))}`,
  };
  const content = { format: FORMAT, ...reported, workload, options: options.parse(given) };
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(file('json'), jsonText(content));
  fs.writeFileSync(file('log'), escapeControls(run.output));
  if (repro) fs.writeFileSync(file('repro.gz'), repro);
  return reported;
}

/** Reads the findings of a folder, by name. @throws UsageError for a damaged one */
export function readFindings(folder: string): SavedFinding[] {
  if (!fs.existsSync(folder)) return [];
  if (!fs.statSync(folder).isDirectory()) throw new UsageError(`--findings: ${folder} is a file`);
  const names = fs.readdirSync(folder).sort();
  return names
    .filter((name) => /^exp_.*\.json$/.test(name))
    .map((name) => readFinding('--findings', path.join(folder, name)));
}

/** @throws UsageError if it cannot be read, or is not a finding */
export function readFinding(option: string, file: string): SavedFinding {
  try {
    return savedFinding.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const what = `it is not a finding: ${issue?.path.join('.')}: ${issue?.message}`;
    throw new UsageError(`${option}: cannot read ${file}: ${issue ? what : messageOf(error)}`);
  }
}
