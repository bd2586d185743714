import type { UpcomingItem } from '../../control/clock.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { derivedDisplay } from '../../kernel/columns.ts';
import { formatOffset } from '../../kernel/time.ts';
import { ORDER_STATUSES } from '../../store/schema/order-states.ts';
import type { ControlClock } from '../../world/resources.ts';
import {
  type Arguments,
  action,
  type Command,
  type CommandModule,
  exampleId,
  list,
} from '../command.ts';
import type { Route } from '../endpoints.ts';
import { argument, choice, text, value } from '../options.ts';
import type { Formatter } from '../output.ts';
import { durationText, isoTimeText, oneOf } from '../parsers/values.ts';

const ORDER_ID = exampleId('ord');

const upcomingItem = derivedDisplay<UpcomingItem>({
  at: ['At', ({ at }) => at, 'time'],
  what: ['What', ({ what }) => what],
});

const NOT_REACHED = 'not reached: nothing that is due brings it about';

const until = action('clock until', 'POST /clock/until', {
  details:
    'Runs the scheduled work in order, each item at its own time, and stops when the condition is met. If it is met already, the clock does not move. If no scheduled work meets it, the command exits 1 and prints what it saw; the clock is then at the last work that ran.',
  args: {
    what: argument<'event' | 'order'>('<what>', 'event or order', oneOf(['event', 'order'])),
    which: argument(
      '<which>',
      'Event type, or order ID',
      // Any text, since it may be an order ID; the values are for completion.
      Object.assign((type: string) => type, { values: EVENT_TYPES }),
    ),
  },
  optionFields: [],
  options: {
    for: text('--for <id>', 'event: only about this order or case'),
    state: choice('--state <state>', 'order: state to reach', ORDER_STATUSES),
    within: value(
      '--within <duration>',
      'Sandbox time to advance at most (default: 30d)',
      durationText,
    ),
  },
  input: ({ args: { what, which }, options }) => ({ [what]: which, ...options }),
  examples: [
    `sandlot clock until event order.transfer_completed --for ${ORDER_ID} --within 8d`,
    `sandlot clock until order ${ORDER_ID} --state TRANSFER_COMPLETED`,
  ],
  format: ({ reached, seen, clock }, formatter) => [
    reached ? formatter.colors.success('reached') : formatter.colors.error(NOT_REACHED),
    ...(reached ? [] : [seen.length > 0 ? 'saw:' : 'saw nothing of the kind']),
    ...seen.map((line) => `  ${line}`),
    formatClock(clock, formatter),
  ],
  problem: ({ reached }) => (reached ? undefined : NOT_REACHED),
});

export const clock: CommandModule = {
  group: 'Time',
  commands: [
    clockCommand('clock', 'GET /clock', {
      summary: 'Show the sandbox clock, or freeze, resume and advance it.',
      examples: ['sandlot clock', 'sandlot clock advance 11m'],
    }),
    clockCommand('clock advance', 'POST /clock/advance', {
      args: { by: argument('<by>', 'Duration, such as 90s, 11m, 1h30m or 2d', durationText) },
      examples: ['sandlot clock advance 11m', 'sandlot clock advance 1h30m'],
    }),
    clockCommand('clock set', 'POST /clock/set', {
      args: { to: argument('<to>', 'ISO 8601 date or time', isoTimeText) },
      examples: ['sandlot clock set 2036-04-01T09:00:00Z', 'sandlot clock set 2036-05-01'],
    }),
    clockCommand('clock freeze', 'POST /clock/freeze'),
    clockCommand('clock resume', 'POST /clock/resume'),
    list('clock upcoming', 'GET /clock/upcoming', {
      resource: async () => upcomingItem,
      empty: 'nothing is scheduled',
    }),
    action('clock next', 'POST /clock/next', {
      format: (result, formatter) => [
        `reached: ${result.reached.what}`,
        formatClock(result.clock, formatter),
      ],
    }),
    until,
  ],
};

function clockCommand(
  path: string,
  route: Extract<Route, `${string} /clock${'' | '/advance' | '/set' | '/freeze' | '/resume'}`>,
  declaration: { summary?: string; args?: Arguments; examples?: readonly string[] } = {},
): Command {
  return action(path, route, { ...declaration, format: formatClock });
}

/** Formats a clock: `2026-03-02T09:00:00.000Z, frozen, 2d 3h ahead of real time`. */
function formatClock(clock: ControlClock, { colors }: Formatter): string {
  return `${colors.bold(clock.now)}, ${describeClock(clock)}`;
}

/** Describes a clock: `frozen, 2d 3h ahead of real time`. */
export function describeClock({ offset_ms, frozen }: ControlClock): string {
  return `${frozen ? 'frozen' : 'running'}, ${formatOffset(offset_ms)}`;
}
