import { option, optionWithDefault } from '../../declare.ts';
import { duration, wholeNumber } from '../../values.ts';

/** Node's fetch gives up on an answer after five minutes, so no single wait may come near that. */
const MAX_MS = 4 * 60_000;

/** How long waiting may take, real time. */
export const TIMEOUT = optionWithDefault(
  '--timeout <duration>',
  'give up after this much real time, at most 4m',
  duration(MAX_MS, '4m'),
  '30s',
);

/** How many are waited for: at least one, unless said otherwise. */
export const HOW_MANY = {
  count: option('--count <n>', 'at least this many (default: 1)', wholeNumber(0)),
  exactly: option('--exactly <n>', 'this many and no more, once all is quiet', wholeNumber(0)),
};
