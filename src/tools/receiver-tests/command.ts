import { type CommandCall, type CommandModule, command, type None } from '../../cli/command.ts';
import { CommandFailedError, ExitWith, UsageError, usageFrom } from '../../cli/errors.ts';
import { choice, flag, text, value } from '../../cli/options.ts';
import { commaSeparated, durationMs } from '../../cli/parsers/values.ts';
import { readStdin } from '../../cli/read-data.ts';
import { requireWritable, writeAtomically } from '../../cli/write-file.ts';
import { ControlApiError } from '../../client/control-client.ts';
import { UnreachableError } from '../../client/unreachable.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { exitStatus } from '../../kernel/child-process.ts';
import { countOf } from '../../kernel/count.ts';
import { ReceiverTestInputError } from './options.ts';
import type { CheckOutcome, ReceiverTestReport } from './result.ts';

const OPTIONS = {
  // In place of the common --url, which would be that of the sandbox.
  url: text('--url <url>', 'Receiver to test'),
  allowRemote: flag('--allow-remote', 'Test a receiver that is not on this machine'),
  secret: text(
    '--secret <secret>',
    'Webhook secret of the receiver, - for stdin (or SANDLOT_WEBHOOK_SECRET)',
  ),
  event: choice('--event <type>', 'Event type of the base delivery', EVENT_TYPES).withDefault(
    'order.recorded',
  ),
  only: value(
    '--only <id...>',
    'Run only these checks; sig.* selects a group',
    commaSeparated,
  ).repeatable(),
  probe: text('--probe <cmd>', 'Shell command that prints the effects so far'),
  settle: value(
    '--settle <duration>',
    'Time that an effect may take',
    durationMs(0, 60_000),
  ).withDefault('2s'),
  junit: text('--junit <file>', 'Write the results as JUnit XML'),
};

const webhooksTest = command('webhooks test', {
  summary: 'Test a webhook receiver with valid, forged and repeated deliveries.',
  details:
    'Sends unusual but valid deliveries, forged ones and duplicates to a receiver in any language, and reports for each check what it means and how to fix it. It needs no running sandbox. Exits 1 if a check fails, or if none could be observed. A check that cannot be observed is unseen and never counts as a pass.\n\nThe probe prints the effects so far, for example a row count. It finds SANDLOT_TEST_CHECK, SANDLOT_TEST_EVENT and SANDLOT_TEST_ORDER in its environment. Without it, the checks of duplicates are unseen.',
  options: OPTIONS,
  examples: [
    'sandlot webhooks test --url http://127.0.0.1:3000/webhooks --secret whsec_local',
    "sandlot webhooks test --url http://127.0.0.1:3000/webhooks --secret whsec_local --probe 'wc -l < effects.log'",
    "sandlot webhooks test --url http://127.0.0.1:3000/webhooks --secret whsec_local --only 'sig.*,body.pretty'",
  ],
  run: runCommand,
});

export const receiverTestCommands: CommandModule = {
  group: 'Webhooks and events',
  commands: [webhooksTest],
};

type Call = CommandCall<None, typeof OPTIONS>;

async function runCommand(call: Call): Promise<void> {
  const { io, out, options } = call;
  const { event, url, probe } = options;
  if (url === undefined) throw new UsageError('--url: missing; pass the URL of your receiver');
  const secret = await secretOf(call);
  const junitFile = options.junit && requireWritable(io, '--junit', options.junit);
  // Rejects an invalid address or token now: `recordResult` would only after the run.
  call.control();
  const interruption = io.interruption();
  const { runReceiverTests } = await import('./run.ts');
  const report = await runReceiverTests({
    url,
    secret,
    event,
    only: options.only.flat(),
    allowRemote: options.allowRemote,
    settleMs: options.settle,
    cwd: io.cwd,
    signal: interruption,
    runtime: io.runtime,
    ...(probe !== undefined && { probe }),
  }).catch((error: unknown) => {
    if (interruption.aborted) throw new ExitWith(exitStatus(null, 'SIGINT'));
    throw usageFrom(error, ReceiverTestInputError);
  });
  if (junitFile) {
    const { toJunit } = await import('./junit.ts');
    await writeAtomically(junitFile, toJunit(report));
  }
  await recordResult(call, report);
  const { showReport } = await import('./show-report.ts');
  out.result(report, showReport);
  if (report.ok) return;
  const { fail } = report.totals;
  throw new CommandFailedError(
    fail === 0 ? 'no check could be observed' : `${countOf(fail, 'check')} failed`,
  );
}

async function secretOf({ io, options: { secret }, variables }: Call): Promise<string> {
  if (secret === '-') return (await readStdin(io)).toString().replace(/\r?\n$/, '');
  const value = secret ?? variables.webhookSecret;
  if (value !== undefined) return value;
  throw new UsageError('--secret: missing; pass the webhook secret, or set SANDLOT_WEBHOOK_SECRET');
}

/** Stores the result in the running sandbox, if there is one, as evidence for the go-live report. */
async function recordResult(
  { control, options }: Call,
  { url, checks }: ReceiverTestReport,
): Promise<void> {
  const idsOf = (result: CheckOutcome) =>
    checks.filter((check) => check.level === 'must' && check.result === result).map(({ id }) => id);
  const failed = idsOf('fail');
  // A selection of checks can show a failure, but not that all pass.
  if (options.only.length > 0 && failed.length === 0) return;
  try {
    await control().post('/golive/receiver-test', { url, failed, unseen: idsOf('unseen') });
  } catch (error) {
    // The sandbox may have an older version or need a token; the tests need no sandbox.
    if (!(error instanceof UnreachableError || error instanceof ControlApiError)) throw error;
  }
}
