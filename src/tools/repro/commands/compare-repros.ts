import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import spawn from 'cross-spawn';
import type { CommandContext } from '../../../cli/context.ts';
import { ExitWith, UsageError, usageFrom } from '../../../cli/errors.ts';
import type { CommandLineIo } from '../../../cli/io.ts';
import { countOf } from '../../../kernel/count.ts';
import { headerOf } from '../../../requests/logged-request.ts';
import {
  compareFlows,
  type FlowDifference,
  type FlowKind,
  SHOWN_BEFORE,
} from '../compare-flows.ts';
import { shorten, valueText } from '../describe.ts';
import { pathOfAll } from '../differences.ts';
import type { FlowItem } from '../flow.ts';
import type { Repro } from '../format.ts';
import { ReproFileError } from '../limits.ts';
import { readRepro, writeRepro } from '../read-repro.ts';

const VERSION_OR_TAG = /^[0-9A-Za-z][\w.+-]{0,60}$/;

/** Prints how B differs from A. @throws ExitWith 1 if it does, 3 if nothing was compared */
export function compareRepros(
  { out }: Pick<CommandContext, 'out'>,
  a: Repro,
  b: Repro,
  all: boolean,
): void {
  const { differences, compared } = compareFlows(a, b);
  const [first, ...otherDifferences] = differences;
  const isEmpty = compared.responses + compared.events === 0;
  const result = first ? 'differs' : isEmpty ? 'nothing' : 'same';
  const document = {
    result,
    first: first ? { ...toDocument(first), explanation: explain(first) } : null,
    groups: groupDifferences(otherDifferences),
    compared,
  };
  const { responses, fields, events } = compared;
  const counts = `${countOf(responses, 'response')}, ${countOf(fields, 'field')}, ${countOf(events, 'event')}`;
  out.result(document, (result, { colors }) => {
    if (!first) {
      const text = isEmpty ? 'Nothing to compare.' : `Same: compared ${counts}.`;
      return [isEmpty ? text : colors.success(text)];
    }
    const otherLines = all
      ? ['Then:', ...result.groups.map((group) => `  ${describeGroup(group)}`)]
      : [`Then: ${summaryOf(otherDifferences)} (--all)`];
    return [
      `${colors.error('First difference:')} ${explain(first)}`,
      ...contextOf(first),
      ...(otherDifferences.length === 0 ? [] : otherLines),
      `Compared ${counts}.`,
    ];
  });
  if (isEmpty && !first) throw new ExitWith(3);
  if (first) throw new ExitWith(1);
}

function toDocument({ kind, path: at, a, b, values: [recorded, replayed] }: FlowDifference) {
  const { operation = '', group } = a ?? b ?? {};
  const inputs = [a?.place ?? null, b?.place ?? null];
  return { kind, operation, path: at, group, inputs, a: recorded, b: replayed };
}

/** Groups differences by kind, operation and path; elements of a list count as one path. */
function groupDifferences(differences: readonly FlowDifference[]) {
  const documents = differences.map((difference) => ({
    ...toDocument(difference),
    path: pathOfAll(difference.path),
  }));
  const groups = Map.groupBy(documents, (document) =>
    [document.kind, document.operation, document.path].join(' '),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { kind, operation, path } = first;
    const inputs = group.map((document) => document.inputs);
    return [{ kind, operation, path, count: group.length, inputs }];
  });
}

/** Replays a file with another version of sandlot. @throws UsageError if it cannot */
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
    const [file, commandArgs] = !isPath
      ? ['npx', ['--yes', `sandlot@${version}`, ...args]]
      : /\.[cm]?js$/.test(version)
        ? [process.execPath, [command, ...args]]
        : [command, args];
    const stderr = await run(file as string, commandArgs as string[], io);
    if (!fs.existsSync(to)) {
      // A sandlot prints a hint after its error.
      const lines = stderr.trim().split('\n');
      const last = lines.findLast((line) => /^error: /.test(line))?.slice(7) ?? lines.at(-1);
      const reason = shorten(last || 'it wrote no file', 200);
      throw new UsageError(`--with: ${version} cannot replay the file: ${reason}`);
    }
    return readRepro(await fs.promises.readFile(to));
  } catch (error) {
    throw usageFrom(error, ReproFileError, `--with: ${version} wrote an unusable file: `);
  } finally {
    await fs.promises.rm(folder, { recursive: true, force: true });
  }
}

/** @returns stderr, or why the command did not start */
function run(file: string, args: readonly string[], { env }: CommandLineIo): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-10_000);
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(stderr));
  });
}

const VALUES = '{path} of {call} is {a}; in B, {b}.';

/** By kind: a noun to count, its suffix, and a sentence about a single difference. */
const KINDS: Readonly<Record<FlowKind, readonly [noun: string, where: string, sentence: string]>> =
  {
    call_only_a: ['call', ' only in A', 'Only A has {call}.'],
    call_only_b: ['call', ' only in B', 'Only B has {call}.'],
    call_order: ['call', ' in another order', 'In B, {call} comes at another place.'],
    status: ['status', '', 'In A, {operation} gets {a}; in B, {b}.'],
    code: ['error code', '', 'In A, the error code of {operation} is {a}; in B, {b}.'],
    missing: ['field', ' only in A', 'Only in A, {call} has {path}: {a}.'],
    added: ['field', ' only in B', 'Only in B, {call} has {path}: {b}.'],
    type: ['field', ' of another type', `In A, ${VALUES}`],
    value: ['field', ' with another value', `In A, ${VALUES}`],
    order: ['field', ' with another order', 'In B, {path} of {call} has another order.'],
    header: ['header', '', `In A, header ${VALUES}`],
    event_only_a: ['event', ' only in A', 'Only A has {call}.'],
    event_only_b: ['event', ' only in B', 'Only B has {call}.'],
    delivery_count: ['delivery count', '', 'In A, {call} has {a} delivery attempts; in B, {b}.'],
    delivery_order: ['delivery', ' in another order', 'In B, {call} comes at another place.'],
    delivery_outcome: [
      'delivery outcome',
      '',
      'In A, {path} to deliver {call} ends with {a}; in B, with {b}.',
    ],
  };

/** Returns `call 14 of order brew.io. In A, …; in B, …`. */
export function explain(difference: FlowDifference): string {
  const { kind, path, values, a, b } = difference;
  const item = a ?? b;
  if (!item) return '';
  const { siblings } = item;
  const subject = shorten(item.group.split(' ').slice(2).join(' '));
  const isOrder = siblings.some(
    (sibling) => sibling.kind === 'event' || /\/orders\b/.test(sibling.operation),
  );
  const about = subject === '' ? 'without a domain' : `of ${isOrder ? 'order ' : ''}${subject}`;
  const [valueA = '', valueB = ''] = values.map((value) => valueText(value));
  const operation = shorten(item.operation);
  const words: Record<string, string> = {
    operation,
    a: valueA,
    b: valueB,
    call: `${operation} ${shorten(item.result)}`.trim(),
    path: shorten(path.replace(/^request\./, 'request field ')),
  };
  const sentence =
    path === 'Idempotency-Key'
      ? explainKey(difference)
      : KINDS[kind][2].replace(/\{(\w+)\}/g, (_, word) => words[word] ?? '');
  return `${item.kind} ${siblings.indexOf(item) + 1} ${about}. ${sentence}`;
}

/** Explains different idempotency keys: one call may be a retry of an earlier one. */
function explainKey({ a, b }: FlowDifference): string {
  const [retriedA, retriedB] = [findRetried(a), findRetried(b)];
  const retried = retriedA ?? retriedB;
  if (retried && !(retriedA && retriedB)) {
    const [fileWithRetry, otherFile] = retriedA ? ['A', 'B'] : ['B', 'A'];
    return `In ${fileWithRetry}, ${nameOf(retried)} is retried with the same Idempotency-Key; in ${otherFile}, with a new one.`;
  }
  const operation = shorten(a?.operation ?? '');
  const [inA, inB] = [a, b].map((item) => (keyOf(item) === undefined ? 'none' : 'one'));
  return inA === inB
    ? `In A, ${operation} has the Idempotency-Key of another call than in B.`
    : `In A, ${operation} has ${inA} Idempotency-Key; in B, ${inB}.`;
}

function findRetried(item: FlowItem | undefined): FlowItem | undefined {
  const key = keyOf(item);
  if (!item || key === undefined) return undefined;
  return siblingsUpTo(item).findLast((sibling) => sibling !== item && keyOf(sibling) === key);
}

function siblingsUpTo(item: FlowItem): readonly FlowItem[] {
  return item.siblings.slice(0, item.siblings.indexOf(item) + 1);
}

function keyOf(item: FlowItem | undefined): string | undefined {
  return item?.request && headerOf(item.request.headers, 'idempotency-key');
}

/** Lists the calls before a difference and the differing one, for each file. */
export function contextOf({ a, b, path, before }: FlowDifference): string[] {
  const keys: string[] = [];
  return Object.entries({ A: a, B: b }).map(([side, item]) => {
    const items = item ? siblingsUpTo(item).slice(-SHOWN_BEFORE - 1) : before;
    const texts = items.map((contextItem) => {
      const key = path === 'Idempotency-Key' ? keyOf(contextItem) : undefined;
      if (key !== undefined && !keys.includes(key)) keys.push(key);
      return `#${contextItem.place} ${nameOf(contextItem)}${key === undefined ? '' : ` (key ${keys.indexOf(key) + 1})`}`;
    });
    return `  ${side}  ${texts.length === 0 ? '(none)' : texts.join('   ')}`;
  });
}

function nameOf({ operation, result, outcomes }: FlowItem): string {
  return [operation, result || outcomes.join(', ')]
    .map((text) => shorten(text))
    .join(' ')
    .trim();
}

/** Returns `3 calls only in A (GET /orders 3), 9 fields in 2 operations`. */
export function summaryOf(differences: readonly FlowDifference[]): string {
  const kinds = Map.groupBy(differences, ({ kind }) => {
    const [noun, suffix] = KINDS[kind];
    return noun === 'field' ? noun : `${noun}${suffix}`;
  });
  return Array.from(kinds.values(), (group) => {
    const [noun, suffix] = KINDS[group[0]?.kind ?? 'value'];
    const counts = Array.from(
      Map.groupBy(group, ({ a, b }) => (a ?? b)?.operation ?? ''),
      ([operation, operationGroup]) => `${shorten(operation)} ${operationGroup.length}`,
    );
    const count = countOf(group.length, noun);
    if (noun === 'field') return `${count} in ${countOf(counts.length, 'operation')}`;
    return `${count}${suffix} (${counts.slice(0, 3).join(', ')}${counts.length > 3 ? ', …' : ''})`;
  }).join(', ');
}

/** Returns `3 calls only in A: GET /orders`. */
export function describeGroup(group: {
  kind: FlowKind;
  operation: string;
  path: string;
  count: number;
}): string {
  const [noun, suffix] = KINDS[group.kind];
  return `${countOf(group.count, noun)}${suffix}: ${shorten(group.operation)} ${shorten(group.path)}`.trimEnd();
}
