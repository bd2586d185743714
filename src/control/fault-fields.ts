import { z } from 'zod';
import { EVENT_TYPES } from '../events/catalogue.ts';
import { domainName, missingOr, oneOf, requiredText } from '../http/fields.ts';
import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import { DAY, MINUTE } from '../kernel/time.ts';
import { DROPS } from '../store/schema/words.ts';

const MOST = 1_000_000_000;
/** Real time, in which somebody waits. */
const LONGEST_DELAY_MS = 10 * MINUTE;
/** Sandbox time. */
const LONGEST_WEBHOOK_DELAY_MS = 365 * DAY;

const whole = (min: number, max: number, what = 'a whole number') =>
  z
    .int({ error: missingOr(`must be ${what}`) })
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
    .optional();
const yes = () => z.boolean({ error: missingOr('must be true or false') }).optional();
const members = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: unknownMember(Object.keys(shape)) });

const CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];
const METHODS = ['GET', 'POST', 'PUT'] as const;

const match = () =>
  members({
    method: oneOf(METHODS).optional(),
    path: requiredText(200)
      .optional()
      .describe('Such as /orders/{public_id}, /orders/ord_1, /me/*.'),
    domain: domainName().optional().describe('Named by the call, or told of by the webhook.'),
    key_id: requiredText(128).optional(),
    event: oneOf(EVENT_TYPES).optional().describe('Only of a rule about webhooks.'),
    first: whole(1, MOST).describe('Only the first so many that match.'),
    every: whole(1, MOST).describe('Only every so manieth that matches.'),
    probability: z
      .number({ error: missingOr('must be a number') })
      .gt(0, 'must be above 0')
      .max(1, 'must be at most 1')
      .optional()
      .describe('Each with this chance; the same seed and calls draw the same.'),
  });

const effect = () =>
  members({
    status: whole(400, 599),
    code: oneOf(CODES).optional(),
    delay_ms: whole(1, LONGEST_DELAY_MS, 'a whole number of milliseconds'),
    drop: oneOf(DROPS)
      .optional()
      .describe('Cuts the connection with nothing, or everything, done.'),
    truncate: whole(0, MOST, 'a whole number of bytes').describe(
      'Bytes of the answer that arrive.',
    ),
  });

const webhook = () =>
  members({
    delay_ms: whole(1, LONGEST_WEBHOOK_DELAY_MS, 'a whole number of milliseconds'),
    duplicate: yes().describe('Sends it twice.'),
    reorder: yes().describe('Sends it behind the next one.'),
    drop: yes().describe('Does not send it; its retries follow.'),
    corrupt_signature: yes().describe('Signs it wrongly.'),
  });

/** What a fault is made of; also what the configuration file lists. What goes together says `findProblem`. */
export const faultShape = () => ({
  match: match().default({}),
  effect: effect().optional(),
  webhook: webhook().optional(),
  times: whole(1, MOST).describe('Spent after so many hits.'),
});

export const newFault = () => members(faultShape());

/** What a misspelled member is told. */
function unknownMember(known: readonly string[]) {
  return (issue: { code?: string; keys?: string[]; input?: unknown }) => {
    if (issue.code !== 'unrecognized_keys') return missingOr('must be an object')(issue);
    return `there is no "${issue.keys?.[0]}"; there are ${known.join(', ')}`;
  };
}
