import { UnreachableError } from '../../client/unreachable.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { countOf } from '../../kernel/count.ts';
import { DELIVERY_STATUSES } from '../../store/schema/enums.ts';
import { ORDER_STATUSES } from '../../store/schema/order-states.ts';
import { action, type CommandModule, command, exampleId } from '../command.ts';
import type { CommandContext } from '../context.ts';
import type { ResponseOf } from '../endpoints.ts';
import { UsageError } from '../errors.ts';
import { argument, choice, count, flag, text, value } from '../options.ts';
import type { Formatter } from '../output.ts';
import { durationMs, oneOf } from '../parsers/values.ts';

const ORDER_ID = exampleId('ord');

/** Below the five minutes after which fetch of Node gives up. */
const MAX_TIMEOUT_MS = 4 * 60_000;
const TIMEOUT = {
  timeout_ms: value(
    '--timeout <duration>',
    'Give up after this long (real time), at most 4m',
    durationMs(0, MAX_TIMEOUT_MS),
  ).withDefault('30s'),
};
const MATCH_OPTIONS = {
  id: text('--for <id>', 'Only about this order or case'),
  count: count('--count <n>', 'At least this many (default: 1)', 0),
  exactly: count('--exactly <n>', 'Exactly this many, once nothing is due', 0),
  ...TIMEOUT,
};

const POLL_MS = 100;
/** A port may accept connections while nothing responds. */
const HEALTH_TIMEOUT_MS = 2_000;

const wait = command('wait', {
  readOnly: true,
  summary: 'Wait until the sandbox is ready, or for an order, events or webhooks.',
  options: { ready: flag('--ready', 'Wait until the sandbox accepts requests'), ...TIMEOUT },
  examples: ['sandlot wait --ready', 'sandlot wait --ready --timeout 2m'],
  async run(call) {
    const { options, out } = call;
    if (!options.ready) {
      throw new UsageError('missing --ready, or one of: wait order, wait event, wait webhook');
    }
    const result = await waitUntilReady(call, options.timeout_ms);
    out.result(result, ({ url }, { colors }) => `${colors.success('●')} ${url} is ready`);
  },
});

/** Polls until the sandbox responds. Its address is looked up each time: it may become known only now. */
async function waitUntilReady({ control, io }: CommandContext, timeoutMs: number) {
  const { monotonic, sleep } = io.runtime;
  const deadline = monotonic() + timeoutMs;
  for (;;) {
    try {
      const client = control(AbortSignal.timeout(HEALTH_TIMEOUT_MS));
      await client.get('/health');
      return { ready: true, url: client.url };
    } catch (error) {
      if (!(error instanceof UnreachableError) || monotonic() >= deadline) throw error;
    }
    await sleep(POLL_MS);
  }
}

type WaitResult = ResponseOf<'POST /wait'>;

function formatWait({ count: matches, seen }: WaitResult, { colors }: Formatter): string[] {
  return [colors.success(`${matches} found`), ...indent(seen)];
}

const indent = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

/** Describes the deliveries that have not arrived, in one line for each status. */
function describeUndelivered(result: ResponseOf<'POST /idle'>): string[] {
  const { pending_deliveries: pending, failed_deliveries: failed, next_attempt_at: next } = result;
  const verb = pending === 1 ? 'waits' : 'wait';
  return [
    pending > 0
      ? `${countOf(pending, 'delivery')} ${verb} for the next attempt, due ${next} (sandbox time)`
      : '',
    failed > 0 ? `${countOf(failed, 'delivery')} failed` : '',
  ].filter((line) => line !== '');
}

export const waits: CommandModule = {
  group: 'Time',
  commands: [
    wait,
    action('wait order', 'POST /wait', {
      readOnly: true,
      optionFields: [],
      summary: 'Wait until an order has been in a state, even if it has moved on since.',
      args: { id: argument('<id>', 'Order ID') },
      options: {
        state: choice('--state <state>', 'State to reach', ORDER_STATUSES).asMandatory(),
        ...TIMEOUT,
      },
      input: ({ args, options }) => ({ for: 'order', ...args, ...options }),
      examples: [`sandlot wait order ${ORDER_ID} --state EXTERNALLY_PAID --timeout 5s`],
      format: ({ seen }, { colors }) => [colors.success('reached'), ...indent(seen)],
    }),
    action('wait event', 'POST /wait', {
      readOnly: true,
      optionFields: [],
      summary: 'Wait until events of a type are recorded.',
      args: { type: argument('<type>', 'Event type', oneOf(EVENT_TYPES)) },
      options: MATCH_OPTIONS,
      input: ({ args, options }) => ({ for: 'event', ...args, ...options }),
      examples: [`sandlot wait event order.recorded --for ${ORDER_ID}`],
      format: formatWait,
    }),
    action('wait webhook', 'POST /wait', {
      readOnly: true,
      optionFields: [],
      summary: 'Wait until webhooks of a type are delivered.',
      args: { type: argument('<type>', 'Event type', oneOf(EVENT_TYPES)) },
      options: {
        ...MATCH_OPTIONS,
        status: choice(
          '--status <status>',
          `${DELIVERY_STATUSES.join(', ')} (default: delivered)`,
          DELIVERY_STATUSES,
        ),
      },
      input: ({ args, options }) => ({ for: 'delivery', ...args, ...options }),
      examples: [`sandlot wait webhook order.recorded --for ${ORDER_ID} --exactly 1`],
      format: formatWait,
    }),
    action('idle', 'POST /idle', {
      readOnly: true,
      summary: 'Wait until no webhook is being delivered and nothing is due.',
      options: {
        strict: flag('--strict', 'Exit 1 if a delivery is pending or failed'),
        ...TIMEOUT,
      },
      input: ({ options: { timeout_ms } }) => ({ timeout_ms }),
      examples: ['sandlot idle', 'sandlot idle --timeout 5s', 'sandlot idle --strict'],
      format: (result) => [
        'Idle: no webhook is being delivered and nothing is due',
        ...describeUndelivered(result),
      ],
      problem: (result, { options: { strict } }) =>
        strict && describeUndelivered(result).length > 0
          ? `--strict: ${describeUndelivered(result).join('; ')}`
          : undefined,
    }),
  ],
};
