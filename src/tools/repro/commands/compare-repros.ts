import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CommandContext } from '../../../cli/context.ts';
import { ExitWith, UsageError } from '../../../cli/errors.ts';
import type { CommandLineIo } from '../../../cli/io.ts';
import { countOf } from '../../../kernel/count.ts';
import { pathOfAll } from '../../../kernel/diff-json.ts';
import { findCommand, thisMachine } from '../../../server/find-command.ts';
import {
  type ComparedFlows,
  compareFlows,
  type FlowDifference,
  type FlowKind,
} from '../compare-flows.ts';
import { shortened } from '../describe.ts';
import type { Call, Sent } from '../flow.ts';
import type { Repro } from '../format.ts';
import { readRepro } from '../read-repro.ts';
import { writeRepro } from '../write-repro.ts';

const SHOWN_BEFORE = 3;
const VERSION_OR_TAG = /^[0-9A-Za-z][\w.+-]{0,60}$/;

const NOUNS: Readonly<Record<FlowKind, string>> = {
  call_only_a: 'call only in A',
  call_only_b: 'call only in B',
  call_order: 'call in another order',
  status: 'status',
  code: 'error code',
  missing: 'field only in A',
  added: 'field only in B',
  type: 'type of a field',
  value: 'value of a field',
  order: 'order of a list',
  header: 'header',
  event_only_a: 'event only in A',
  event_only_b: 'event only in B',
  delivery_count: 'number of deliveries',
  delivery_order: 'delivery in another order',
  delivery_outcome: 'outcome of a delivery',
};

/** Prints how B differs from A. @throws ExitWith 1 if it does, 3 if nothing was compared */
export function compareRepros(
  { out }: Pick<CommandContext, 'out'>,
  a: Repro,
  b: Repro,
  all: boolean,
): void {
  const flows = compareFlows(a, b);
  const { differences, compared } = flows;
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
    const then = shown.groups.map(({ kind, operation, path: at, count }) =>
      `${countOf(count, '×').replace(/×s?$/, '×')} ${NOUNS[kind]}: ${shortened(operation)} ${shortened(at)}`.trimEnd(),
    );
    return [
      `${colors.error('First difference:')} ${explain(first)}`,
      ...contextOf(first, flows),
      ...(then.length === 0
        ? []
        : all
          ? ['Then:', ...then.map((line) => `  ${line}`)]
          : [`Then: ${summaryOf(rest)} (--all)`]),
      `Compared ${counted}.`,
    ];
  });
  if (isEmpty && !first) throw new ExitWith(3);
  if (first) throw new ExitWith(1);
}

function named({ kind, operation, path: at, a, b, group, values }: FlowDifference) {
  const [recorded, replayed] = values;
  return {
    kind,
    operation,
    path: at,
    group,
    inputs: [a?.place ?? null, b?.place ?? null],
    a: recorded,
    b: replayed,
  };
}

/** Differences by kind, operation and path; elements of a list count as one path. */
function grouped(differences: readonly FlowDifference[]) {
  const groups = Map.groupBy(differences, ({ kind, operation, path: at }) =>
    JSON.stringify([kind, operation, pathOfAll(at)]),
  );
  return [...groups].map(([key, each]) => {
    const [kind, operation, at] = JSON.parse(key) as [FlowKind, string, string];
    const inputs = each.map(({ a, b }) => [a?.place ?? null, b?.place ?? null]);
    return { kind, operation, path: at, count: each.length, inputs };
  });
}

function summaryOf(differences: readonly FlowDifference[]): string {
  const kinds = Map.groupBy(differences, ({ kind }) => kind);
  return [...kinds]
    .map(([kind, each]) => {
      const operations = [...new Set(each.map(({ operation }) => shortened(operation)))];
      return `${each.length}× ${NOUNS[kind]} (${operations.slice(0, 3).join(', ')}${operations.length > 3 ? ', …' : ''})`;
    })
    .join(', ');
}

function explain({ kind, operation, path: at, a, b, group, values }: FlowDifference): string {
  const [subject] = group.split(' ').slice(-1);
  const of = subject ? ` of ${shortened(subject)}` : '';
  const what = shortened(operation);
  const shown = (value: unknown) =>
    value === undefined ? 'absent' : shortened(JSON.stringify(value), 80);
  const [was, is] = values.map(shown);
  if (a === undefined) return `${what}${of} is only in B.`;
  if (b === undefined) return `${what}${of} is only in A.`;
  if (kind === 'call_order' || kind === 'delivery_order')
    return `${what}${of} comes at another place.`;
  if (at === 'Idempotency-Key') {
    return `${what}${of} has the Idempotency-Key of other calls: in A ${was}, in B ${is}.`;
  }
  if (kind === 'delivery_count') return `${what}${of}: ${was} attempts in A, ${is} in B.`;
  return `${what}${of}, ${NOUNS[kind]} ${shortened(at)}: in A ${was}, in B ${is}.`;
}

/** The calls before a difference and the differing one, of each file. */
function contextOf({ a, b, group }: FlowDifference, flows: ComparedFlows): string[] {
  const lineOf = (name: 'A' | 'B', item: Call | Sent | undefined) => {
    const flow = flows[name === 'A' ? 'a' : 'b'];
    const items: readonly (Call | Sent)[] =
      flow.groups.get(group) ?? flow.webhooks.get(group) ?? [];
    const at = item ? items.indexOf(item) : -1;
    const shown =
      item === undefined
        ? []
        : at < 0
          ? [item]
          : items.slice(Math.max(0, at - SHOWN_BEFORE), at + 1);
    const texts = shown.map(
      (each) => `#${each.place} ${shortened(each.operation)} ${resultOf(each)}`,
    );
    return `  ${name}  ${texts.length === 0 ? '(none)' : texts.join('   ')}`;
  };
  return [lineOf('A', a), lineOf('B', b)];
}

function resultOf(item: Call | Sent): string {
  return item.kind === 'call'
    ? item.result
    : item.outcomes.map((each) => shortened(each)).join(', ');
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
      const last = printed.trim().split('\n').at(-1) || 'it wrote no file';
      throw new UsageError(`--with: ${version} cannot replay the file: ${shortened(last, 200)}`);
    }
    return await readRepro(fs.createReadStream(to));
  } finally {
    await fs.promises.rm(folder, { recursive: true, force: true });
  }
}

/** @returns what it printed on stderr, or why it did not start */
function run(file: string, args: readonly string[], { env }: CommandLineIo): Promise<string> {
  return new Promise((resolve) => {
    const target = findCommand(file, args, thisMachine(env));
    const child = spawn(target.file, target.args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
      windowsVerbatimArguments: target.verbatim,
    });
    let printed = '';
    child.stderr.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-10_000);
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(printed));
  });
}
