import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CommandContext } from '../../../cli/context.ts';
import { CommandFailedError, UsageError } from '../../../cli/errors.ts';
import { STDOUT, writeAtomically } from '../../../cli/write-file.ts';
import { endsWithin, shellOptions } from '../../../kernel/child-process.ts';
import { countOf } from '../../../kernel/count.ts';
import { escapeAndShorten } from '../describe-repro.ts';
import type { Repro } from '../format.ts';
import { minimize } from '../minimize.ts';
import { NotReplayableError } from '../replay.ts';
import { replayFile } from '../replay-file.ts';
import { writeRepro } from '../repro-lines.ts';
import { readReproFile, requireNew, requireRequest, sizeOf, withFileErrors } from './repro-file.ts';
import { formatRequests, shownRequests } from './show-repro.ts';

interface MinimizeCommand {
  out: string | undefined;
  while: string | undefined;
  target: string | undefined;
  maxTime: number;
  force: boolean;
}

/** For one run of the command of `--while`. */
const MAX_COMMAND_MS = 30_000;
/** Exit codes of a shell that cannot start a command. */
const CANNOT_START: ReadonlySet<number | null> = new Set([126, 127]);

/** Writes the smallest file that still shows the problem. @throws CommandFailedError if it does not reproduce */
export async function minimizeRepro(
  { io, out }: CommandContext,
  file: string,
  { while: command, maxTime, force, ...options }: MinimizeCommand,
): Promise<void> {
  if (command?.trim() === '') throw new UsageError('--while: must not be empty');
  // Adds `.min` before the extension. A file from stdin has no name: `requireNew` then asks for --out.
  const besideFile =
    file === STDOUT ? STDOUT : file.replace(/\.repro(\.gz)?$|\.jsonl$|$/, '.min$&');
  const name = options.out ?? besideFile;
  const outPath = requireNew(io, '--out', name, force);
  const repro = await readReproFile(io, file);
  const target = requireRequest(repro, '--target', options.target ?? String(repro.head.target)).n;
  const start = io.runtime.monotonic();
  const elapsedMs = () => io.runtime.monotonic() - start;
  const interruption = io.interruption();
  const stopReason = () => {
    if (interruption.aborted) return 'interrupted';
    return elapsedMs() >= maxTime ? 'max-time' : null;
  };
  // `minimize` asks about the whole file first.
  let isWholeFile = true;
  const succeeds = async (candidate: Repro) => {
    const timeoutMs = Math.max(1, Math.ceil(Math.min(MAX_COMMAND_MS, maxTime - elapsedMs())));
    const limits = { cwd: io.cwd, runtime: io.runtime, signal: interruption };
    const hasSucceeded = await runCommand(command ?? '', candidate, timeoutMs, limits);
    if (hasSucceeded === undefined && isWholeFile) {
      const reason = stopReason() ?? 'limit of 30 s';
      throw new NotReplayableError(`--while was ended before its result (${reason})`);
    }
    isWholeFile = false;
    return hasSucceeded === true;
  };
  const hasProblem = command === undefined ? undefined : succeeds;
  const isStopped = () => stopReason() !== null;
  const minimized = await withFileErrors(file, () =>
    minimize(repro, { target, hasProblem, isStopped, madeAt: io.runtime.now() }),
  );
  const { repro: smallest, candidates, outcome } = minimized;
  const stopped = stopReason();
  // A flaky command may accept a file that does not replay.
  if ((await replayFile(smallest)).result === 'diverged') {
    throw new CommandFailedError(
      `${file}: the smallest file found does not replay; nothing was written`,
    );
  }
  const bytes = writeRepro(smallest, { compressed: !name.endsWith('.jsonl') });
  await writeAtomically(outPath, bytes);
  const before = repro.requests.filter(({ n }) => n <= target).length;
  const after = smallest.requests.length;
  const seconds = Math.round(elapsedMs() / 100) / 10;
  const shown = await shownRequests(smallest.requests);
  out.result(
    { before, after, seconds, candidates, stopped, outcome, file: name },
    (_, formatter) => [
      formatter.wrapAfter(0, `Reproduces: #${target} ${escapeAndShorten(outcome, 200)}`),
      `${before} → ${countOf(after, 'request')}, ${seconds} s (${countOf(candidates, 'candidate')})`,
      formatRequests(shown, formatter, smallest.head.target),
      ...(stopped === null ? [] : [`Stopped (${stopped}): more requests may go.`]),
      `Wrote ${name} (${sizeOf(bytes.length)})`,
    ],
  );
}

/** Runs a command with the path of a candidate. @returns undefined if it was ended @throws UsageError */
async function runCommand(
  command: string,
  candidate: Repro,
  timeoutMs: number,
  { cwd, ...limits }: { cwd: string } & Parameters<typeof endsWithin>[2],
): Promise<boolean | undefined> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-minimize-'));
  try {
    const file = path.join(folder, 'candidate.jsonl');
    fs.writeFileSync(file, writeRepro(candidate, { compressed: false }));
    const child = spawn(`${command} "${file}"`, { ...shellOptions(cwd), stdio: 'ignore' });
    if (!(await endsWithin(child, timeoutMs, limits))) return undefined;
    if (CANNOT_START.has(child.exitCode)) {
      throw new UsageError(`--while: cannot start ${escapeAndShorten(command)}`);
    }
    return child.exitCode === 0;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
