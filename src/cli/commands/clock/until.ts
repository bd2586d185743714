import { EVENT_TYPES } from '../../../events/event-types.ts';
import { ORDER_STATUSES } from '../../../store/schema/enums.ts';
import type { ControlClock } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { FIRST_ORDER } from '../../example-ids.ts';
import { CheckFailedError, InvalidValueError, UsageError } from '../../failures.ts';
import { durationText, oneOf } from '../../values.ts';
import { showClock } from './show-clock.ts';

interface Came {
  reached: boolean;
  seen: string[];
  reason: string | null;
  clock: ControlClock;
}

export const clockUntil = defineCommand({
  path: 'clock until',
  summary: 'Move sandbox time on until an event is recorded or an order is in a state.',
  details:
    'It goes from one due thing to the next, does each at its own time, and stands where it came about; what is there already moves nothing. If nothing that is due brings it, the command exits 1 and prints what it saw and what is upcoming; the clock has moved to the last thing that was due.',
  args: {
    what: argument('event or order', oneOf(['event', 'order'])),
    which: argument('the event type, or the order id'),
  },
  options: {
    about: option('--for <id>', 'event: only about this order or case'),
    state: option('--state <state>', 'order: the state to reach', oneOf(ORDER_STATUSES)),
    within: option(
      '--within <duration>',
      'go no further than this in sandbox time (default: 30d)',
      durationText,
    ),
  },
  examples: [
    `sandlot clock until event order.transfer_completed --for ${FIRST_ORDER} --within 8d`,
    `sandlot clock until order ${FIRST_ORDER} --state TRANSFER_COMPLETED`,
  ],
  async run({ control, args: { what, which }, options, out }) {
    const { about, state, within } = options;
    const input =
      what === 'event' ? eventInput(which, about, state) : orderInput(which, about, state);
    const came = await control().post<Came>('/clock/until', { ...input, within });
    out.result(came, ({ reached, seen, reason, clock }, paper) => [
      reached ? paper.paint.good('reached') : paper.paint.bad(`not reached: ${reason}`),
      ...(reached ? [] : [seen.length > 0 ? 'saw, nearest first:' : 'saw nothing of the kind']),
      ...seen.map((line) => `  ${line}`),
      showClock(clock, paper),
    ]);
    if (!came.reached) throw new CheckFailedError(came.reason ?? 'not reached');
  },
});

function eventInput(which: string, about: string | undefined, state: string | undefined) {
  if (state !== undefined) throw new UsageError('--state: belongs to "clock until order"');
  try {
    return { event: oneOf(EVENT_TYPES)(which), for: about };
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new UsageError(`<which>: "${which}" is no event type. ${error.message}`);
  }
}

function orderInput(which: string, about: string | undefined, state: string | undefined) {
  if (about !== undefined) throw new UsageError('--for: belongs to "clock until event"');
  if (state === undefined) throw new UsageError('--state: expected the state to reach');
  return { order: which, state };
}
