import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError, ExitWith, UsageError } from '../../../cli/errors.ts';
import type { CommandLineIo } from '../../../cli/io.ts';
import type { Formatter } from '../../../cli/output.ts';
import { requireWritable } from '../../../cli/write-file.ts';
import { ControlApiError, ControlClient } from '../../../client/control-client.ts';
import type { Key } from '../../../client/partner-client.ts';
import { UnreachableError } from '../../../client/unreachable.ts';
import { isLoopbackName, parseHttpUrl } from '../../../kernel/addresses.ts';
import { columnsOf } from '../../../kernel/columns.ts';
import { countOf } from '../../../kernel/count.ts';
import { type Binding, Bindings } from '../against/bindings.ts';
import { isObject } from '../against/compare-with-target.ts';
import { makePlan, type PlannedRequest, type UnsentReason } from '../against/plan.ts';
import {
  type AgainstResult,
  AgainstRun,
  type OperationResult,
  type Outcome,
  summarize,
  TargetError,
} from '../against/run.ts';
import { shorten, valueText } from '../describe.ts';
import type { Repro } from '../format.ts';
import { parseBoundedJson } from '../limits.ts';
import { keyOf } from '../operation.ts';
import { linesOfRepro } from '../read-repro.ts';
import { requestsOf } from '../select.ts';
import { withFileErrors } from './repro-file.ts';

export interface AgainstOptions {
  against: string;
  allowWrites: boolean;
  control: boolean;
  plan: boolean;
  state: string | undefined;
  domain: readonly string[];
}

/** Sends the requests of a file to another sandbox. @throws UsageError, CheckFailedError, ExitWith */
export async function replayAgainst(
  call: CommandContext,
  repro: Repro,
  file: string,
  options: AgainstOptions,
): Promise<void> {
  const { io, out } = call;
  const { allowWrites: writes, control } = options;
  const url = originOf(options.against);
  const keys = keysOf(repro, io.env);
  const domains = new Map(options.domain.map(domainPair));
  const hash = createHash('sha256');
  for (const line of linesOfRepro(repro)) hash.update(line);
  const state = openState(io, options.state, { file: hash.digest('hex'), url });
  const plan = await withFileErrors(file, () => makePlan(repro, { writes, control }));
  out.note(describePlan(plan.requests));
  if (options.plan) return;
  try {
    const world = control ? (call.world ?? 'default') : undefined;
    const token = control ? call.controlToken() : undefined;
    const client = new ControlClient({
      baseUrl: url,
      fetch: (address, init) =>
        io.fetch(address, { ...init, redirect: 'manual', signal: AbortSignal.timeout(30_000) }),
      world: call.world,
      token,
    });
    const [first] = state.steps;
    if (control && !first) await assertFresh(client);
    const comparesValues = first?.comparesValues ?? (await hasInventory(client, plan.inventory));
    if (!comparesValues) {
      out.note('Values are not compared: the target does not show the same inventory.');
    }
    const bindings = new Bindings(domains, repro.rows.length > 0);
    const { fetch, runtime } = io;
    const run = new AgainstRun(
      { url, fetch, runtime, keys, world, token, comparesValues },
      bindings,
    );
    const stepsByPlace = new Map(state.steps.map((step) => [step.outcome.place, step]));
    const outcomes: Outcome[] = [];
    for (const plannedRequest of plan.requests) {
      const step = stepsByPlace.get(plannedRequest.place);
      if (step) run.note(plannedRequest);
      for (const binding of step?.bindings ?? []) bindings.restore(binding);
      const outcome = step?.outcome ?? (await run.send(plannedRequest));
      outcomes.push(outcome);
      if (step || plannedRequest.unsentReason) continue;
      state.add({ outcome, bindings: bindings.takeNewBindings(), comparesValues });
    }
    const result = summarize(outcomes);
    out.result(result, formatResult);
    if (result.result === 'differs') throw new CheckFailedError('the responses differ');
    if (result.result === 'nothing') throw new ExitWith(3);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    out.note(`${out.colors.error('error:')} ${shorten(error.message, 300)}`);
    const shownError = { code: 'unreachable', message: error.message, next: ['--against'] };
    if (out.json) out.result({ error: shownError }, () => '');
    throw new ExitWith(3);
  }
}

/** @throws UsageError */
function originOf(text: string): string {
  const usageError = (rule: string) => new UsageError(`--against: must be ${rule}`);
  const url = parseHttpUrl(text);
  if (!url) throw usageError('an http or https URL without user info');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw usageError('an address without a path, such as https://sandbox.example');
  }
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname)) {
    throw usageError('https; http is only for a loopback address');
  }
  return url.origin;
}

/** Reads the credentials from the environment variables, by the key ID of the file that they replace. @throws UsageError */
function keysOf({ inputs }: Repro, env: CommandLineIo['env']): Map<string, Key> {
  const live = Object.keys(env).find(
    (name) =>
      /^SANDLOT_KEY_ID(?:_\d+)?$/.test(name) && /(?:^|[_-])live(?:[_-]|$)/i.test(env[name] ?? ''),
  );
  if (live) {
    throw new UsageError(`${live} is a LIVE key; --against takes SANDBOX credentials only`);
  }
  const requests = requestsOf(inputs).filter(({ api }) => api === 'partner');
  const keys = new Map<string, Key>();
  for (const [index, id] of [
    ...new Set(requests.flatMap((request) => keyOf(request) || [])),
  ].entries()) {
    const suffix = index === 0 ? '' : `_${index + 1}`;
    const [key_id, secret] = [env[`SANDLOT_KEY_ID${suffix}`], env[`SANDLOT_SECRET${suffix}`]];
    if (key_id && secret) keys.set(id, { key_id, secret });
  }
  if (keys.size > 0) return keys;
  throw new UsageError(
    '--against: set SANDLOT_KEY_ID and SANDLOT_SECRET to a SANDBOX credential of the other sandbox',
  );
}

function domainPair(text: string): [string, string] {
  const [, recordedDomain, targetDomain] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (recordedDomain !== undefined && targetDomain !== undefined)
    return [recordedDomain, targetDomain];
  throw new UsageError('--domain: must be RECORDED=USED, such as brew.io=other.io');
}

/** A sent request: a line of the state file, after the line of its owner. */
interface Step {
  outcome: Outcome;
  bindings: Binding[];
  comparesValues: boolean;
}

/**
 * Opens the file of `--state`: JSON Lines, without secrets. Ignores an incomplete line, which a kill can leave.
 * @param owner digest of the file, and URL
 * @throws UsageError if the state is that of another file or URL
 */
function openState(
  io: CommandLineIo,
  name: string | undefined,
  owner: { file: string; url: string },
): { steps: readonly Step[]; add(step: Step): void } {
  if (name === undefined) return { steps: [], add: () => {} };
  const file = requireWritable(io, '--state', name);
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const [head, ...lines] = text.split('\n').map(parseBoundedJson);
  if (text !== '') {
    if (!isObject(head) || typeof head.file !== 'string' || typeof head.url !== 'string') {
      throw new UsageError(`--state: ${name} is not a state of this command`);
    }
    if (head.file !== owner.file || head.url !== owner.url) {
      const otherPart = head.file === owner.file ? 'URL' : 'file';
      throw new UsageError(`--state: ${name} is of another ${otherPart}; pass another name`);
    }
  }
  let before = text === '' ? `${JSON.stringify(owner)}\n` : text.endsWith('\n') ? '' : '\n';
  return {
    steps: lines.filter((line) => isObject(line) && isObject(line.outcome)) as Step[],
    add(step) {
      fs.appendFileSync(file, `${before}${JSON.stringify(step)}\n`, { mode: 0o600 });
      before = '';
    },
  };
}

/** Whether the other sandbox is a sandlot with this inventory. */
async function hasInventory(client: ControlClient, digest: string): Promise<boolean> {
  try {
    const inventory: unknown = await client.get('/repro/inventory');
    return isObject(inventory) && inventory.digest === digest;
  } catch {
    // It is not a sandlot, an older one, or needs a control token.
    return false;
  }
}

/** @throws TargetError, UsageError */
async function assertFresh(client: ControlClient): Promise<void> {
  try {
    const { orders } = await client.get<{ orders: unknown[] }>('/orders', { limit: 1 });
    const { quotes } = await client.get<{ quotes: unknown[] }>('/quotes', { limit: 1 });
    if (orders.length === 0 && quotes.length === 0) return;
  } catch (error) {
    if (!(error instanceof ControlApiError || error instanceof UnreachableError)) throw error;
    throw new TargetError(`--control needs the control API of a sandlot: ${error.message}`);
  }
  throw new UsageError(
    '--control: the world has quotes or orders; pass a fresh one with --world, and a credential of it',
  );
}

const SIGNATURE = 'rejected before or by the signature check or a rate limit';
const UNSENT: Readonly<Record<UnsentReason, readonly [one: string, several: string]>> = {
  'needs --allow-writes': ['needs --allow-writes', 'need --allow-writes'],
  'needs --control': ['needs --control', 'need --control'],
  'never sent': ['is never sent', 'are never sent'],
  'rejected by its signature': [`was ${SIGNATURE}`, `were ${SIGNATURE}`],
};

function describePlan(plan: readonly PlannedRequest[]): string {
  const partner = plan.filter(({ request }) => request.api === 'partner');
  const control = plan.filter(
    ({ request, unsentReason }) => request.api === 'control' && !unsentReason,
  ).length;
  const unsentByReason = Map.groupBy(plan, (entry) => entry.unsentReason);
  const unsentTexts = [...unsentByReason].flatMap(([reason, group]) => {
    const shownRequests =
      reason === 'needs --control' ? group : group.filter((entry) => partner.includes(entry));
    if (reason === undefined || shownRequests.length === 0) return [];
    const text = `${shownRequests.length} ${UNSENT[reason][shownRequests.length === 1 ? 0 : 1]}`;
    if (reason === 'rejected by its signature') return [text];
    const operations = Map.groupBy(shownRequests, ({ operation }) => operation);
    const counts = Array.from(operations, ([name, group]) => `${shorten(name)} ${group.length}`);
    return [`${text} (${counts.join(', ')})`];
  });
  const sentCount = partner.filter((entry) => !entry.unsentReason).length;
  const controlText = control > 0 ? `, and ${countOf(control, 'control API request')}` : '';
  const unsentText = unsentTexts.length > 0 ? ` Not sent: ${unsentTexts.join(', ')}.` : '';
  return `Plan: send ${sentCount} of ${countOf(partner.length, 'partner API request')}${controlText}.${unsentText}`;
}

const COLUMNS = columnsOf<OperationResult>(
  {
    operation: ['Operation', ({ operation }) => shorten(operation)],
    same: ['Same', ({ same }) => same || '-', 'count'],
    differs: ['Differs', ({ differs }) => differs || '-', 'count'],
    not_measured: ['Not measured', (row) => row.not_measured || '-', 'count'],
    not_served: ['Not served', (row) => row.not_served || '-', 'count'],
  },
  {},
);

function formatResult(
  { operations, differences, compared }: AgainstResult,
  { colors, table }: Formatter,
): string[] {
  const lines = differences.map(({ input, operation, kind, path, recorded, replayed }) => {
    const place = path === kind ? '' : `  ${shorten(path)}`;
    const sides = [recorded, replayed]
      .filter((value) => value !== undefined)
      .map((value) => valueText(value, 60));
    const change = `${kind} ${sides.join(' → ')}`.trimEnd();
    return `${colors.error('✗')} #${input} ${shorten(operation)}${place}  ${change}`;
  });
  const { responses, fields, values } = compared;
  return [
    table(COLUMNS, operations),
    ...operations
      .filter(({ reason }) => reason !== undefined)
      .map(
        ({ operation, reason = '' }) =>
          `Not measured: ${shorten(operation)} ${shorten(reason, 100)}`,
      ),
    ...lines,
    `Compared ${countOf(responses, 'response')}, ${countOf(fields, 'field')}, ${countOf(values, 'value')}. ${countOf(differences.length, 'difference')}.`,
  ];
}
