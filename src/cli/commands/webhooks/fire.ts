import { EVENT_TYPES } from '../../../events/event-types.ts';
import type { FiredWebhook } from '../../../webhooks/fire.ts';
import { defineCommand } from '../../command.ts';
import { argument, flag, option, optionWithDefault, repeatedOption } from '../../declare.ts';
import { FIRST_ORDER } from '../../example-ids.ts';
import { CheckFailedError } from '../../failures.ts';
import { readJsonObject } from '../../read-data.ts';
import { assignment, oneOf, webAddress, wholeNumber } from '../../values.ts';
import { isRejected, showFired } from './show-fired.ts';

export const fireWebhook = defineCommand({
  path: 'webhooks fire',
  summary: 'Send a signed webhook now, about an order or a made-up one.',
  details:
    'Prints status, time and body of the response, and exits 1 unless the receiver responds with 200 within 5 s. With --bad-signature, exits 1 unless the receiver rejects the webhook. A fired webhook is not part of the event history: GET /events does not list it, and its id is not a valid after_id. With --url and --secret, and no --order, it needs no running sandbox. Without them it goes where the partner has registered. A --set value is read as JSON where it is JSON, and as text otherwise.\n\n--url is the receiver here; name the sandbox with SANDLOT_URL, or in front: sandlot --url URL webhooks fire.',
  args: { type: argument(EVENT_TYPES.join(', '), oneOf(EVENT_TYPES)) },
  options: {
    url: option('--url <url>', 'where to send it', webAddress),
    secret: option('--secret <secret>', 'what to sign it with'),
    order: option('--order <id>', 'about this order of the sandbox'),
    partner: option('--partner <id>', 'to the url registered by this partner id'),
    set: repeatedOption('--set <path=value>', 'replace a member; repeatable', assignment),
    data: option('--data <file>', "take the event's data from this JSON file, - for stdin"),
    times: optionWithDefault(
      '--times <n>',
      'send the same event this often',
      wholeNumber(1, 100),
      '1',
    ),
    badSignature: flag(
      '--bad-signature',
      'sign it wrongly, and check that the receiver rejects it',
    ),
  },
  examples: [
    'sandlot webhooks fire order.settled --url http://127.0.0.1:4020/ --secret whsec_local',
    `sandlot webhooks fire order.refunded --order ${FIRST_ORDER} --times 2`,
    'sandlot webhooks fire order.recorded --set data.order.sale_price_cents=125000',
    'sandlot webhooks fire order.recorded --bad-signature',
  ],
  async run(call) {
    const { args, options, out } = call;
    const input = {
      type: args.type,
      url: options.url,
      secret: options.secret,
      order: options.order,
      partner_id: options.partner,
      data:
        options.data === undefined
          ? undefined
          : await readJsonObject(call.io, '--data', options.data),
      set: Object.fromEntries(options.set.map(([path, text]) => [path, jsonOrText(text)])),
      times: options.times,
      corrupt_signature: options.badSignature,
    };
    const { url, secret } = options;
    const offline = url !== undefined && secret !== undefined && options.order === undefined;
    const fired = offline
      ? await (await import('./fire-offline.ts')).fireOffline(call.io, { ...input, url, secret })
      : await call.control().post<FiredWebhook>('/webhooks/fire', input);
    out.result(fired, (shown, paper) => showFired(shown, paper, options.badSignature));
    if (options.badSignature) return requireRejected(fired);
    if (!fired.ok) throw new CheckFailedError(`${fired.url} did not answer 200 within 5 s`);
  },
});

/** @throws CheckFailedError unless the receiver responded to each attempt, and not with 200 */
function requireRejected({ url, attempts }: FiredWebhook): void {
  if (attempts.every(isRejected)) return;
  throw new CheckFailedError(
    attempts.some(({ http_status }) => http_status === 200)
      ? `${url} accepted a webhook with a wrong signature`
      : `${url} did not respond, so it did not reject the wrong signature`,
  );
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
