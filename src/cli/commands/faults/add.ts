import { EVENT_TYPES } from '../../../events/catalogue.ts';
import { ERROR_STATUS, type ErrorCode } from '../../../kernel/errors.ts';
import { DROPS } from '../../../store/schema/words.ts';
import { defineCommand } from '../../command.ts';
import { option, repeatedOption } from '../../declare.ts';
import type { FaultShape } from '../../shapes.ts';
import { duration, httpMethod, oneOf, positiveFraction, wholeNumber } from '../../values.ts';
import { showFault } from './show-fault.ts';
import { webhookEffect } from './webhook-effect.ts';

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

export const addFault = defineCommand({
  path: 'faults add',
  summary: 'Make calls of the partner API, or webhooks, go wrong from now on.',
  details:
    'Say which calls with --method, --path, --domain and --key, and what happens to them with --code, --status, --delay, --drop and --truncate. Say which webhooks with --event and --domain, and what happens to them with --webhook. Everything that is said has to fit; what is not said fits all. Rules are asked in the order in which they were added, and the first that acts is the only one.',
  options: {
    method: option('--method <method>', 'only calls with this method', httpMethod),
    path: option(
      '--path <path>',
      'only calls of /orders/{public_id}, /orders/ord_1, "/me/*" and the like',
    ),
    domain: option('--domain <domain>', 'only what names this domain'),
    keyId: option('--key <key-id>', 'only calls of this credential'),
    event: option('--event <type>', 'only webhooks of this event type', oneOf(EVENT_TYPES)),
    first: option('--first <n>', 'only the first n that match', wholeNumber(1)),
    every: option('--every <n>', 'only every nth that matches', wholeNumber(1)),
    probability: option(
      '--probability <p>',
      'each with this chance, such as 0.2; same seed, same draws',
      positiveFraction,
    ),
    times: option('--times <n>', 'n hits, then no more', wholeNumber(1)),
    code: option('--code <code>', 'answer this error of the API', oneOf(CODES)),
    status: option('--status <status>', 'the same by its status', wholeNumber(400, 599)),
    delay: option('--delay <duration>', 'hold the answer back, in real time', duration()),
    drop: option('--drop <when>', 'cut the connection before or after acting', oneOf(DROPS)),
    truncate: option('--truncate <bytes>', 'cut the answer off behind so many', wholeNumber(0)),
    webhook: repeatedOption(
      '--webhook <effect>',
      'drop, duplicate, reorder, corrupt_signature, delay=10m; repeatable',
      webhookEffect,
    ),
  },
  examples: [
    'sandlot faults add --method POST --path /orders --code internal_error --first 3',
    'sandlot faults add --path /orders --drop after --times 1',
    'sandlot faults add --path "/domains/*" --status 429 --probability 0.2',
    'sandlot faults add --event order.recorded --webhook delay=10m --webhook duplicate',
  ],
  async run({ control, options, out }) {
    const { times, code, status, delay, drop, truncate, webhook, keyId, ...match } = options;
    const effect = given({ status, code, delay_ms: delay, drop, truncate });
    const fault = await control().post<FaultShape>('/faults', {
      match: { ...match, key_id: keyId },
      effect,
      webhook: given(Object.fromEntries(webhook)),
      times,
    });
    out.result(fault, showFault);
  },
});

/** Undefined where nothing was said. */
function given<Members extends object>(members: Members): Members | undefined {
  return Object.values(members).some((value) => value !== undefined) ? members : undefined;
}
