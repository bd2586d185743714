import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError, UsageError } from '../../../cli/errors.ts';
import { ProgressLine } from '../../../cli/progress.ts';
import { STDOUT, writeAtomically } from '../../../cli/write-file.ts';
import { countOf } from '../../../kernel/count.ts';
import { killGroup, OWN_GROUP } from '../../kill-group.ts';
import { describeInputs, shortened } from '../describe.ts';
import type { Repro } from '../format.ts';
import { minimize } from '../minimize.ts';
import { inputsOf } from '../places.ts';
import { writeRepro } from '../read-repro.ts';
import { replayFile } from '../replay-file.ts';
import { explained, readReproFile, requireInput, requireOutFile, sizeOf } from './repro-file.ts';
import { formatLines } from './show-repro.ts';

interface MinimizeCommand {
  out: string | undefined;
  while: string | undefined;
  keep: readonly string[];
  target: string | undefined;
  maxTime: number;
  force: boolean;
}

const MAX_RUN_MS = 30_000;
/** How often progress is printed without a terminal. */
const LINES_MS = 5_000;
/** What a shell exits with if it cannot start a command. */
const CANNOT_START = new Set([126, 127]);

/** Writes the smallest file that still shows the problem. @throws CheckFailedError if it does not reproduce */
export async function minimizeRepro(
  { io, out }: CommandContext,
  file: string,
  given: MinimizeCommand,
): Promise<void> {
  if (given.while?.trim() === '') throw new UsageError('--while: must not be empty');
  const name = given.out ?? `${file.replace(/\.repro(\.gz)?$|\.jsonl$|$/, '.min$&')}`;
  if (file === STDOUT && given.out === undefined) {
    throw new UsageError('--out: pass the name of a file');
  }
  const written = requireOutFile(io, name, { file, act: 'minimized' }, given.force);
  const repro = await readReproFile(io, file);
  const { inputs, head } = repro;
  const { place: target } = requireInput(
    repro,
    '--target',
    given.target ?? head.target,
    inputsOf(inputs),
  );
  const start = io.runtime.monotonic();
  const elapsed = () => io.runtime.monotonic() - start;
  const interrupted = io.interruption();
  const command = given.while;
  let stopped: 'max-time' | 'interrupted' | null = null;
  const before = inputsOf(inputs).length;
  const progress = new ProgressLine(io, LINES_MS);
  const result = await explained(file, () =>
    minimize(repro, {
      target,
      keep: given.keep,
      holds:
        command === undefined
          ? undefined
          : (candidate) =>
              holds(command, candidate, {
                cwd: io.cwd,
                timeout: Math.min(MAX_RUN_MS, given.maxTime - elapsed()),
                interrupted,
              }),
      stopped: () => {
        if (interrupted.aborted) stopped ??= 'interrupted';
        else if (elapsed() >= given.maxTime) stopped ??= 'max-time';
        return stopped !== null;
      },
      onProgress: (left, candidates) =>
        progress.show(
          () => `${before} → ${countOf(left, 'input')}, ${countOf(candidates, 'candidate')}`,
        ),
      madeAt: io.runtime.now(),
    }),
  ).finally(() => progress.end());
  const { repro: smallest, candidates, outcome } = result;
  if ((await replayFile(smallest)).result === 'diverged') {
    throw new CheckFailedError(
      `${file}: the smallest file found does not replay; nothing was written`,
    );
  }
  const bytes = writeRepro(smallest, { compressed: !name.endsWith('.jsonl') });
  await writeAtomically(written, bytes);
  const left = inputsOf(smallest.inputs);
  const after = left.length;
  const seconds = Math.round(elapsed() / 100) / 10;
  out.result(
    { before, after, seconds, candidates, stopped, outcome, file: name },
    (_, formatter) => [
      formatter.wrapAfter(0, `Reproduces: #${target} ${shortened(outcome, 200)}`),
      `${before} → ${countOf(after, 'input')}, ${seconds} s (${countOf(candidates, 'candidate')})`,
      ...formatLines(describeInputs(left, smallest.inputs), formatter, smallest.head.target),
      ...(stopped === null
        ? []
        : [
            `Stopped by ${stopped === 'max-time' ? '--max-time' : 'an interrupt'}: more inputs may go.`,
          ]),
      `Wrote ${name} (${sizeOf(bytes.length)})`,
    ],
  );
}

/** Runs a command with the path of a candidate. @throws UsageError if it cannot start */
async function holds(
  command: string,
  candidate: Repro,
  { cwd, timeout, interrupted }: { cwd: string; timeout: number; interrupted: AbortSignal },
): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-minimize-'));
  const stop = AbortSignal.any([interrupted, AbortSignal.timeout(Math.max(1, Math.ceil(timeout)))]);
  try {
    const file = path.join(folder, 'candidate.jsonl');
    fs.writeFileSync(file, writeRepro(candidate, { compressed: false }));
    const child = spawn(`${command} "${file}"`, {
      ...{ ...OWN_GROUP, cwd, shell: true, stdio: 'ignore' },
    });
    stop.addEventListener('abort', () => killGroup(child));
    if (stop.aborted) killGroup(child);
    const [code] = (await once(child, 'exit')) as [number | null];
    killGroup(child);
    if (code !== null && CANNOT_START.has(code)) {
      throw new UsageError(`--while: cannot start ${shortened(command)}`);
    }
    return code === 0;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
