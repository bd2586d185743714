import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import spawn from 'cross-spawn';
import type { CommandContext } from '../../../cli/context.ts';
import { ExitWith, UsageError, usageFrom } from '../../../cli/errors.ts';
import type { CommandLineIo } from '../../../cli/io.ts';
import { countOf } from '../../../kernel/count.ts';
import { pathOfAll } from '../compare.ts';
import { compareFlows, type FlowDifference } from '../compare-flows.ts';
import { shortened } from '../describe.ts';
import { contextOf, describeGroup, explain, summaryOf } from '../explain-difference.ts';
import type { Repro } from '../format.ts';
import { ReproFileError } from '../limits.ts';
import { readRepro } from '../read-repro.ts';
import { writeRepro } from '../write-repro.ts';

const VERSION_OR_TAG = /^[0-9A-Za-z][\w.+-]{0,60}$/;

/** Prints how B differs from A. @throws ExitWith 1 if it does, 3 if nothing was compared */
export function compareRepros(
  { out }: Pick<CommandContext, 'out'>,
  a: Repro,
  b: Repro,
  all: boolean,
): void {
  const { differences, compared } = compareFlows(a, b);
  const [first, ...rest] = differences;
  const isEmpty = compared.responses + compared.events === 0;
  const result = first ? 'differs' : isEmpty ? 'nothing' : 'same';
  const document = {
    result,
    first: first ? { ...named(first), explanation: explain(first) } : null,
    groups: grouped(rest),
    compared,
  };
  const { responses, fields, events } = compared;
  const counted = `${countOf(responses, 'response')}, ${countOf(fields, 'field')}, ${countOf(events, 'event')}`;
  out.result(document, (shown, { colors }) => {
    if (!first) {
      const text = isEmpty ? 'Nothing to compare.' : `Same: compared ${counted}.`;
      return [isEmpty ? text : colors.success(text)];
    }
    const then = all
      ? ['Then:', ...shown.groups.map((each) => `  ${describeGroup(each)}`)]
      : [`Then: ${summaryOf(rest)} (--all)`];
    return [
      `${colors.error('First difference:')} ${explain(first)}`,
      ...contextOf(first),
      ...(rest.length === 0 ? [] : then),
      `Compared ${counted}.`,
    ];
  });
  if (isEmpty && !first) throw new ExitWith(3);
  if (first) throw new ExitWith(1);
}

function named({ kind, path: at, a, b, values: [recorded, replayed] }: FlowDifference) {
  const { operation = '', group } = a ?? b ?? {};
  const inputs = [a?.place ?? null, b?.place ?? null];
  return { kind, operation, path: at, group, inputs, a: recorded, b: replayed };
}

/** Differences by kind, operation and path; elements of a list count as one path. */
function grouped(differences: readonly FlowDifference[]) {
  const all = differences.map((each) => ({ ...named(each), path: pathOfAll(each.path) }));
  const groups = Map.groupBy(all, ({ kind, operation, path: at }) => `${kind} ${operation} ${at}`);
  return Array.from(groups.values(), (each) => ({
    ...{ kind: each[0]?.kind ?? 'value', operation: each[0]?.operation ?? '' },
    ...{ path: each[0]?.path ?? '', count: each.length },
    inputs: each.map(({ inputs }) => inputs),
  }));
}

/** Lets another sandlot replay a file. @throws UsageError if it cannot */
export async function replayWith(io: CommandLineIo, repro: Repro, version: string): Promise<Repro> {
  const isPath = /[/\\]/.test(version);
  if (!isPath && !VERSION_OR_TAG.test(version)) {
    throw new UsageError('--with: pass a version such as 0.1.0, or the path of a sandlot command');
  }
  const folder = await fs.promises.mkdtemp(path.join(os.tmpdir(), 'sandlot-compare-'));
  try {
    const [from, to] = [path.join(folder, 'a.repro.gz'), path.join(folder, 'b.repro.gz')];
    await fs.promises.writeFile(from, writeRepro(repro));
    const args = ['repro', 'replay', from, '-o', to];
    const command = path.resolve(io.cwd, version);
    const [file, given] = !isPath
      ? ['npx', ['--yes', `sandlot@${version}`, ...args]]
      : /\.[cm]?js$/.test(version)
        ? [process.execPath, [command, ...args]]
        : [command, args];
    const printed = await run(file as string, given as string[], io);
    if (!fs.existsSync(to)) {
      // A sandlot prints a hint after its error.
      const lines = printed.trim().split('\n');
      const last = lines.findLast((line) => /^error: /.test(line))?.slice(7) ?? lines.at(-1);
      const why = shortened(last || 'it wrote no file', 200);
      throw new UsageError(`--with: ${version} cannot replay the file: ${why}`);
    }
    return readRepro(await fs.promises.readFile(to));
  } catch (error) {
    throw usageFrom(error, ReproFileError, `--with: ${version} wrote an unusable file: `);
  } finally {
    await fs.promises.rm(folder, { recursive: true, force: true });
  }
}

/** @returns what it printed on stderr, or why it did not start */
function run(file: string, args: readonly string[], { env }: CommandLineIo): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
    let printed = '';
    child.stderr.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-10_000);
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(printed));
  });
}
