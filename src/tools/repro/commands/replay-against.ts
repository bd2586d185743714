import { createHash } from 'node:crypto';
import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError, ExitWith, UsageError } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
import { ControlApiError, ControlClient } from '../../../client/control-client.ts';
import type { Key } from '../../../client/partner-client.ts';
import { UnreachableError } from '../../../client/unreachable.ts';
import { isLoopbackName, parseHttpUrl } from '../../../kernel/addresses.ts';
import { columnsOf } from '../../../kernel/columns.ts';
import { countOf } from '../../../kernel/count.ts';
import { isObject } from '../against/answer.ts';
import { Bindings } from '../against/bindings.ts';
import { type Planned, planOf } from '../against/plan.ts';
import { type AgainstResult, type OperationResult, resultOf } from '../against/result.ts';
import { AgainstRun, keyIdOf, type Outcome, TargetError } from '../against/run.ts';
import { AgainstState } from '../against/state.ts';
import { shortened } from '../describe.ts';
import type { Repro } from '../format.ts';
import { requestsOf } from '../select.ts';
import { linesOfRepro } from '../write-repro.ts';
import { explained } from './replay-repro.ts';

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
  const url = originOf(options.against);
  const keys = keysOf(repro, io.env);
  const domains = new Map(options.domain.map(domainPair));
  const state = new AgainstState(io, options.state, { file: digestOfFile(repro), url });
  const { requests, inventory } = await explained(file, () =>
    planOf(repro, { writes: options.allowWrites, control: options.control }),
  );
  out.note(describePlan(requests));
  if (options.plan) return;
  try {
    const world = options.control ? (call.world ?? 'default') : undefined;
    const token = options.control ? call.controlToken() : undefined;
    const client = new ControlClient({
      baseUrl: url,
      fetch: (address, init) =>
        io.fetch(address, { ...init, redirect: 'manual', signal: AbortSignal.timeout(30_000) }),
      world: call.world,
      token,
    });
    if (options.control && state.steps.length === 0) await assertFresh(client);
    const comparesValues =
      state.steps[0]?.comparesValues ?? (await hasInventory(client, inventory));
    if (!comparesValues) {
      out.note('Values are not compared: the target does not show the same inventory.');
    }
    const bindings = new Bindings(domains, repro.rows.length > 0);
    const target = {
      url,
      fetch: io.fetch,
      runtime: io.runtime,
      keys,
      world,
      token,
      comparesValues,
    };
    const run = new AgainstRun(target, bindings);
    const done = new Map(state.steps.map((each) => [each.outcome.place, each]));
    const outcomes: Outcome[] = [];
    for (const planned of requests) {
      const step = done.get(planned.place);
      if (step) {
        run.note(planned);
        for (const each of step.bindings) bindings.restore(each);
      }
      const outcome = step?.outcome ?? (await run.send(planned));
      outcomes.push(outcome);
      if (step || planned.unsent) continue;
      state.add({ outcome, bindings: bindings.takeAdded(), comparesValues });
    }
    finish(call, resultOf(outcomes));
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    out.note(`${out.colors.error('error:')} ${shortened(error.message, 300)}`);
    if (out.json) {
      out.result(
        { error: { code: 'unreachable', message: error.message, next: ['--against'] } },
        () => '',
      );
    }
    throw new ExitWith(3);
  }
}

function finish({ out }: CommandContext, result: AgainstResult): void {
  out.result(result, formatResult);
  if (result.result === 'differs') throw new CheckFailedError('the responses differ');
  if (result.result === 'nothing') throw new ExitWith(3);
}

/** @throws UsageError */
function originOf(text: string): string {
  const url = parseHttpUrl(text);
  if (!url) {
    throw new UsageError('--against: must be an http or https URL without user info');
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      '--against: must be an address without a path, such as https://sandbox.example',
    );
  }
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname)) {
    throw new UsageError('--against: must be https; http is only for a loopback address');
  }
  return url.origin;
}

/** The credentials of the environment, by the key ID of the file that each stands for. @throws UsageError */
function keysOf(
  { inputs }: Repro,
  env: Readonly<Record<string, string | undefined>>,
): Map<string, Key> {
  const live = Object.entries(env).find(
    ([name, value = '']) =>
      /^SANDLOT_KEY_ID(?:_\d+)?$/.test(name) && /(?:^|[_-])live(?:[_-]|$)/i.test(value),
  );
  if (live) {
    throw new UsageError(`${live[0]} is a LIVE key; --against takes SANDBOX credentials only`);
  }
  const ids = requestsOf(inputs).flatMap((each) => (each.api === 'partner' ? keyIdOf(each) : []));
  const keys = new Map<string, Key>();
  for (const [index, id] of [...new Set(ids.filter((each) => each !== ''))].entries()) {
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
  const [recorded = '', used = '', ...others] = text.split('=');
  if (recorded === '' || used === '' || others.length > 0) {
    throw new UsageError('--domain: must be RECORDED=USED, such as brew.io=other.io');
  }
  return [recorded, used];
}

function digestOfFile(repro: Repro): string {
  const hash = createHash('sha256');
  for (const line of linesOfRepro(repro)) hash.update(line);
  return hash.digest('hex');
}

/** Whether another sandlot has an inventory. */
async function hasInventory(client: ControlClient, digest: string): Promise<boolean> {
  try {
    const found: unknown = await client.get('/repro/inventory');
    return isObject(found) && found.digest === digest;
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

function describePlan(plan: readonly Planned[]): string {
  const partner = plan.filter(({ request }) => request.api === 'partner');
  const control = plan.filter(({ request, unsent }) => request.api === 'control' && !unsent).length;
  const unsent = plan.filter(
    (each) => each.unsent && (each.request.api === 'partner' || each.unsent === 'needs --control'),
  );
  const left = Array.from(
    Map.groupBy(unsent, (each) => each.unsent),
    ([reason = '', of]) => {
      const isOne = of.length === 1;
      if (reason === 'rejected by its signature') {
        return `${of.length} ${isOne ? 'was' : 'were'} rejected before or by the signature check or a rate limit`;
      }
      const operations = Array.from(
        Map.groupBy(of, ({ operation }) => operation),
        ([name, each]) => `${shortened(name)} ${each.length}`,
      );
      const [verb = '', ...rest] = reason.split(' ');
      const verbs = { needs: isOne ? 'needs' : 'need', never: isOne ? 'is never' : 'are never' };
      const text = [verbs[verb as keyof typeof verbs], ...rest].join(' ');
      return `${of.length} ${text} (${operations.join(', ')})`;
    },
  );
  const sent = partner.filter((each) => !each.unsent).length;
  const also = control > 0 ? `, and ${countOf(control, 'control API request')}` : '';
  const rest = left.length > 0 ? ` Not sent: ${left.join(', ')}.` : '';
  return `Plan: send ${sent} of ${countOf(partner.length, 'partner API request')}${also}.${rest}`;
}

const COLUMNS = columnsOf<OperationResult>(
  {
    operation: ['Operation', ({ operation }) => shortened(operation)],
    same: ['Same', ({ same }) => same || '-', 'count'],
    differs: ['Differs', ({ differs }) => differs || '-', 'count'],
    not_measured: ['Not measured', (each) => each.not_measured || '-', 'count'],
    not_served: ['Not served', (each) => each.not_served || '-', 'count'],
  },
  {},
);

function formatResult(
  { operations, differences, compared }: AgainstResult,
  { colors, table }: Formatter,
): string[] {
  const found = differences.map(({ input, operation, kind, path, recorded, replayed }) => {
    const place = path === kind ? '' : `  ${shortened(path)}`;
    const sides = [recorded, replayed].filter((each) => each !== undefined).map(textOf);
    const change = `${kind} ${sides.join(' → ')}`.trimEnd();
    return `${colors.error('✗')} #${input} ${shortened(operation)}${place}  ${change}`;
  });
  const { responses, fields, values } = compared;
  return [
    table(COLUMNS, operations),
    ...operations.flatMap(({ operation, reason }) =>
      reason === undefined
        ? []
        : [`Not measured: ${shortened(operation)} ${shortened(reason, 100)}`],
    ),
    ...found,
    `Compared ${countOf(responses, 'response')}, ${countOf(fields, 'field')}, ${countOf(values, 'value')}. ${countOf(differences.length, 'difference')}.`,
  ];
}

function textOf(value: unknown): string {
  return shortened(typeof value === 'string' ? value : JSON.stringify(value), 60);
}
