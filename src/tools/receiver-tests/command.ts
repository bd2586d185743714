import { type CommandCall, type CommandModule, command } from '../../cli/command.ts';
import { CheckFailedError, ExitWith, UsageError, usageFrom } from '../../cli/errors.ts';
import type { CommandLineIo } from '../../cli/io.ts';
import { choice, flag, text, value } from '../../cli/options.ts';
import { commaSeparated, durationMs } from '../../cli/parsers/values.ts';
import { readFile } from '../../cli/read-data.ts';
import {
  jsonText,
  requireOutput,
  requireWritable,
  writeAtomically,
  writeOutput,
} from '../../cli/write-file.ts';
import { ControlApiError } from '../../client/control-client.ts';
import { UnreachableError } from '../../client/unreachable.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { countOf } from '../../kernel/count.ts';
import { ReceiverTestInputError, type SaleOptions, saleFlags } from './options.ts';
import type { CheckOutcome, ReceiverTestReport } from './result.ts';

const INTERRUPTED = 130;

const OPTIONS = {
  url: text('--url <url>', 'Receiver to test'),
  allowRemote: flag('--allow-remote', 'Test a receiver that is not on this machine'),
  secret: text(
    '--secret <secret>',
    'Webhook secret of the receiver, - for stdin (or SANDLOT_WEBHOOK_SECRET)',
  ),
  event: choice('--event <type>', 'Event type of the base delivery', EVENT_TYPES).withDefault(
    'order.recorded',
  ),
  data: text('--data <file>', 'JSON array of data.order objects that the receiver knows'),
  only: value(
    '--only <ids>',
    'Run only these checks, comma-separated; sig.* selects a group; repeatable',
    commaSeparated,
  ).repeatable(),
  strict: flag('--strict', 'Exit 1 for advice and unseen results too'),
  probe: text('--probe <cmd>', 'Shell command that prints the effects so far'),
  settle: value(
    '--settle <duration>',
    'Time that an effect may take',
    durationMs(60_000, '60s'),
  ).withDefault('2s'),
  sale: flag('--sale', 'Add ten checks with real orders in the running sandbox'),
  as: text(
    '--as <key-id>',
    'With --sale: credential of the partner (default: dmk_sandbox_local)',
  ).naming('credential'),
  buy: text('--buy <cmd>', 'With --sale: shell command that buys SANDLOT_TEST_DOMAIN'),
  catchUp: text('--catch-up <cmd>', 'With --sale: shell command that reads missed events'),
  rotate: text('--rotate <cmd>', 'With --sale: shell command that changes the webhook secret'),
  junit: text('--junit <file>', 'Write the results as JUnit XML'),
  export: text(
    '--export <file>',
    'Write all deliveries to a JSON file (- for stdout) and send nothing',
  ),
};

const webhooksTest = command('webhooks test', {
  summary: 'Test a webhook receiver with valid, forged and repeated deliveries.',
  details:
    'Sends unusual but valid deliveries, forged ones and duplicates to a receiver in any language, and reports for each check what it means and how to fix it. Only --sale needs a running sandbox. Exits 1 if a check fails or the receiver cannot be reached. A check that cannot be observed is unseen and never counts as a pass.\n\nThe probe prints the effects so far, for example a row count. It finds SANDLOT_TEST_CHECK, SANDLOT_TEST_EVENT and SANDLOT_TEST_ORDER in its environment. Without it, the checks of duplicates are unseen.\n\n--sale adds checks with real orders: retries, reordered events, settlement, refund. It saves a snapshot first and advances the clock by about 10 hours. The receiver must be registered. --buy finds SANDLOT_TEST_DOMAIN and SANDLOT_TEST_PRICE_CENTS in its environment; without it, orders are placed for you.\n\n--url is the receiver. The sandbox is found by SANDLOT_URL or the state folder.',
  options: OPTIONS,
  examples: [
    'sandlot webhooks test --url http://127.0.0.1:3000/webhooks --secret whsec_local',
    "sandlot webhooks test --url http://127.0.0.1:3000/webhooks --secret whsec_local --probe 'wc -l < effects.log'",
    "sandlot webhooks test --url http://127.0.0.1:3000/webhooks --secret whsec_local --only 'sig.*,body.pretty'",
    'sandlot webhooks test --url http://127.0.0.1:3000/webhooks --secret whsec_local --sale',
    'sandlot webhooks test --secret whsec_local --export deliveries.json',
  ],
  run: (call) => runCommand(call),
});

export const receiverTestCommands: CommandModule = {
  group: 'Webhooks and events',
  commands: [webhooksTest],
};

type Call = CommandCall<Record<never, never>, typeof OPTIONS>;

async function runCommand(call: Call): Promise<void> {
  const { io, out, options } = call;
  const { event, url, probe, strict } = options;
  const input = {
    secret: await secretOf(call),
    event,
    only: options.only.flat(),
    ...(options.data !== undefined && { data: await readOrders(io, options.data) }),
  };
  if (options.export !== undefined) return writeExport(call, input, options.export);
  if (url === undefined) throw new UsageError('--url: missing; pass the URL of your receiver');
  const sale = saleOptions(call);
  const junit =
    options.junit === undefined ? undefined : requireWritable(io, '--junit', options.junit);
  const interruption = io.interruption();
  const { runReceiverTests } = await import('./run.ts');
  const report = await runReceiverTests({
    ...input,
    url,
    allowRemote: options.allowRemote,
    settleMs: options.settle,
    cwd: io.cwd,
    signal: interruption,
    onNote: (text) => out.note(text),
    runtime: io.runtime,
    ...(probe !== undefined && { probe }),
    ...(sale && { sale }),
  }).catch((error: unknown) => {
    if (interruption.aborted) throw new ExitWith(INTERRUPTED);
    throw usageFrom(error, ReceiverTestInputError);
  });
  if (junit !== undefined) {
    const { toJunit } = await import('./report.ts');
    await writeAtomically(junit, toJunit(report));
  }
  await recordResult(call, report);
  const { showReport } = await import('./show-report.ts');
  out.result(report, showReport);
  requireSuccess(report, strict);
}

async function secretOf({ io, options: { secret }, environment }: Call): Promise<string> {
  if (secret === '-') return (await io.readStdin()).toString().replace(/\r?\n$/, '');
  const value = secret ?? environment.webhookSecret;
  if (value !== undefined) return value;
  throw new UsageError('--secret: missing; pass the webhook secret, or set SANDLOT_WEBHOOK_SECRET');
}

/** @throws UsageError for an option that needs --sale */
function saleOptions({ io, world, address, controlToken, options }: Call): SaleOptions | undefined {
  const { sale, as, buy, catchUp, rotate } = options;
  if (sale) {
    const sandbox = {
      sandbox: address().url,
      fetch: io.fetch,
      world,
      controlToken: controlToken(),
    };
    return { ...sandbox, as, buy, catchUp, rotate };
  }
  for (const [name, value] of Object.entries(saleFlags({ as, buy, catchUp, rotate }))) {
    if (value !== undefined) throw new UsageError(`${name}: needs --sale`);
  }
  return undefined;
}

/** Stores the result in the running sandbox, if there is one, as evidence for the go-live report. */
async function recordResult(
  { control, options }: Call,
  { url, ok, totals, checks }: ReceiverTestReport,
): Promise<void> {
  const isReachable = ok || totals.fail > 0;
  const idsOf = (result: CheckOutcome) =>
    checks.filter((check) => check.level === 'must' && check.result === result).map(({ id }) => id);
  const failed = idsOf('fail');
  // A selection of checks can show a failure, but not that all pass.
  if (!isReachable || (options.only.length > 0 && failed.length === 0)) return;
  try {
    await control().post('/golive/receiver-test', { url, failed, unseen: idsOf('unseen') });
  } catch (error) {
    if (!(error instanceof UnreachableError || error instanceof ControlApiError)) throw error;
  }
}

/** @throws CheckFailedError */
function requireSuccess({ ok, totals, url }: ReceiverTestReport, strict: boolean): void {
  if (!ok) {
    throw new CheckFailedError(
      totals.fail === 0 ? `${url} cannot be reached` : `${countOf(totals.fail, 'check')} failed`,
    );
  }
  if (strict && totals.advice + totals.unseen > 0) {
    throw new CheckFailedError(`${totals.advice} advice, ${totals.unseen} unseen (--strict)`);
  }
}

async function writeExport(call: Call, input: { secret: string }, file: string): Promise<void> {
  requireOutput(call.io, '--export', file);
  const { exportDeliveries } = await import('./prepare.ts');
  try {
    const checks = exportDeliveries(input);
    const deliveries = checks.reduce((sum, check) => sum + check.deliveries.length, 0);
    await writeOutput(call, file, jsonText(checks), (_bytes, target) => [
      { file, checks: checks.length, deliveries },
      `Wrote ${deliveries} deliveries of ${checks.length} checks to ${target}`,
    ]);
  } catch (error) {
    throw usageFrom(error, ReceiverTestInputError);
  }
}

async function readOrders(io: CommandLineIo, file: string): Promise<Record<string, unknown>[]> {
  const text = (await readFile(io, '--data', file)).toString();
  const { requireOrders } = await import('./prepare.ts');
  try {
    return requireOrders(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw usageFrom(error, ReceiverTestInputError);
    throw new UsageError(`--data: ${file} is not JSON: ${error.message}`);
  }
}
