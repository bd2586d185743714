import { defineCommand } from '../../command.ts';
import { flag, optionWithDefault } from '../../declare.ts';
import { wholeNumber } from '../../values.ts';
import { REQUEST_FILTERS } from './filters.ts';

export const logs = defineCommand({
  path: 'logs',
  summary: 'The last requests, oldest first, and with --follow those that come.',
  details:
    'One line per request, with the reason where it was refused. With --json one JSON object per line. Ctrl-C ends --follow.',
  options: {
    ...REQUEST_FILTERS,
    last: optionWithDefault('--last <count>', 'begin with this many', wholeNumber(0, 100), '10'),
    follow: flag('--follow', 'go on with what comes'),
    count: optionWithDefault(
      '--count <n>',
      'end --follow after this many, 0 for never',
      wholeNumber(0),
      '0',
    ),
  },
  examples: ['sandlot logs', 'sandlot logs --status 4xx --last 3 --json'],
  async run(call) {
    const { followLog } = await import('./follow-log.ts');
    await followLog(call, call.options);
  },
});
