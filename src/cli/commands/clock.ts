import { InvalidArgumentError } from 'commander';
import type { UpcomingItem } from '../../control/clock.ts';
import { display } from '../../kernel/columns.ts';
import { formatDuration, SECOND } from '../../kernel/time.ts';
import type { ControlClock } from '../../world/resources.ts';
import {
  type Arguments,
  action,
  type Command,
  type CommandModule,
  command,
  printNextPage,
} from '../command.ts';
import { callRoute, optionsOf, type Route } from '../endpoints.ts';
import { argument } from '../options.ts';
import type { Formatter } from '../output.ts';
import { durationText, isoTimeText } from '../parsers/values.ts';

const upcoming = command('clock upcoming', {
  readOnly: true,
  summary: 'List scheduled work, soonest first.',
  options: optionsOf('GET /clock/upcoming'),
  examples: ['sandlot clock upcoming'],
  async run({ control, options, out }) {
    const client = control();
    const page = await callRoute(client, 'GET /clock/upcoming', {}, options);
    // The column "In" is for people; a script can read the clock itself.
    const { now } = out.json ? { now: '' } : await callRoute(client, 'GET /clock', {});
    const columns = display<UpcomingItem>({
      in: [
        'In',
        ({ at }) => formatDuration(Math.max(0, Date.parse(at) - Date.parse(now))),
        'count',
      ],
      at: ['At', ({ at }) => at, 'time'],
      what: ['What', ({ what }) => what],
    }).columns();
    out.result(page, (document, { table, colors }) =>
      document.upcoming.length === 0
        ? colors.dim('nothing is scheduled')
        : table(columns, document.upcoming),
    );
    printNextPage(out, page);
  },
});

export const clock: CommandModule = {
  group: 'Time',
  commands: [
    clockCommand('clock', 'GET /clock', {
      summary: 'Show the sandbox clock, or freeze, resume and advance it.',
      examples: ['sandlot clock', 'sandlot clock advance 11m'],
    }),
    clockCommand('clock advance', 'POST /clock/advance', {
      args: { by: argument('<by>', 'Duration, such as 90s, 11m, 1h30m or 2d', forwardDuration) },
      examples: ['sandlot clock advance 11m', 'sandlot clock advance 1h30m'],
    }),
    clockCommand('clock set', 'POST /clock/set', {
      args: { to: argument('<to>', 'ISO 8601 date or time', isoTimeText) },
      examples: ['sandlot clock set 2036-04-01T09:00:00Z', 'sandlot clock set 2036-05-01'],
    }),
    clockCommand('clock freeze', 'POST /clock/freeze', {
      examples: ['sandlot clock freeze'],
    }),
    clockCommand('clock resume', 'POST /clock/resume', {
      examples: ['sandlot clock resume'],
    }),
    upcoming,
    action('clock next', 'POST /clock/next', {
      examples: ['sandlot clock next'],
      format: (result, formatter) => [
        `reached: ${result.reached.what}`,
        formatClock(result.clock, formatter),
      ],
    }),
  ],
};

function clockCommand(
  path: string,
  route: Extract<Route, `${string} /clock${'' | '/advance' | '/set' | '/freeze' | '/resume'}`>,
  declaration: { summary?: string; args?: Arguments; examples: readonly string[] },
): Command {
  return action(path, route, { ...declaration, format: formatClock });
}

/** Reads a duration that is not negative. @throws InvalidArgumentError */
function forwardDuration(text: string): string {
  if (!text.startsWith('-')) return durationText(text);
  throw new InvalidArgumentError(
    'Time never goes back; restore a snapshot or reset the world instead.',
  );
}

/** Formats a clock: `2026-03-02T09:00:00.000Z, frozen, 2d 3h ahead of real time`. */
function formatClock(clock: ControlClock, { colors }: Formatter): string {
  return `${colors.bold(clock.now)}, ${describeClock(clock)}`;
}

/** Describes a clock: `frozen, 2d 3h ahead of real time`. */
export function describeClock({
  offset_ms,
  frozen,
}: Pick<ControlClock, 'offset_ms' | 'frozen'>): string {
  // Rounded to seconds: real time advances by some milliseconds while the clock is moved.
  const difference = Math.round(Math.abs(offset_ms) / SECOND) * SECOND;
  const side = offset_ms > 0 ? 'ahead of' : 'behind';
  const comparison =
    difference === 0 ? 'real time' : `${formatDuration(difference)} ${side} real time`;
  return `${frozen ? 'frozen' : 'running'}, ${comparison}`;
}
