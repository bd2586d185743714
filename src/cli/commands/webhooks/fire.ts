import { EVENT_TYPES } from '../../../events/event-types.ts';
import { parseJson } from '../../../kernel/json.ts';
import { failureHint } from '../../../webhooks/failure-hint.ts';
import type { FiredWebhook } from '../../../webhooks/fire.ts';
import type { Colors } from '../../colors.ts';
import { command, exampleId } from '../../command.ts';
import { CommandFailedError } from '../../errors.ts';
import { oneLine } from '../../layout.ts';
import { argument, count, flag, text, value } from '../../options.ts';
import type { Formatter } from '../../output.ts';
import { assignment, oneOf, webAddress } from '../../parsers/values.ts';
import { readJsonObject } from '../../read-data.ts';

export const fire = command('webhooks fire', {
  summary: 'Send a signed webhook now, about an order or with sample data.',
  details:
    'Prints status, time and body of the response, and exits 1 unless the receiver responds with 200 within 5 s. With --bad-signature, exits 1 unless the receiver rejects the webhook. A fired webhook is not part of the event history: GET /events does not list it, and its ID is not a valid after_id. URL and secret are by default those of the registered webhook. With --url and --secret, and without --order, it needs no running sandbox. A --set value is JSON if it parses as JSON, and text otherwise.\n\n--url is the receiver. Pass the address of the sandbox in SANDLOT_URL, or before the command: sandlot --url URL webhooks fire.',
  args: {
    type: argument<(typeof EVENT_TYPES)[number]>(
      '<type>',
      EVENT_TYPES.join(', '),
      oneOf(EVENT_TYPES),
    ),
  },
  options: {
    url: value('--url <url>', 'Receiver (default: the registered URL)', webAddress),
    secret: text('--secret <secret>', 'Secret to sign with'),
    order: text('--order <id>', 'Send the event about this order'),
    set: value('--set <path=value>', 'Replace a field; repeatable', assignment).repeatable(),
    data: text('--data <file>', 'JSON file with the data of the event, - for stdin'),
    times: count('--times <n>', 'Send the same event this many times', 1, 100).withDefault('1'),
    corrupt_signature: flag(
      '--bad-signature',
      'Sign incorrectly, and check that the receiver rejects it',
    ),
  },
  examples: [
    'sandlot webhooks fire order.settled --url http://127.0.0.1:4020/ --secret whsec_local',
    `sandlot webhooks fire order.refunded --order ${exampleId('ord')} --times 2`,
    'sandlot webhooks fire order.recorded --set data.order.sale_price_cents=125000',
    'sandlot webhooks fire order.recorded --bad-signature',
  ],
  async run({ args, options, out, io, control }) {
    const { data, set, ...fields } = options;
    const { url, secret, corrupt_signature: isForged } = options;
    // The keys of `args` and `fields` are names of fields of the endpoint.
    const input = {
      ...args,
      ...fields,
      data: data === undefined ? undefined : await readJsonObject(io, data),
      set: Object.fromEntries(set.map(([path, text]) => [path, parseJson(text, text)])),
    };
    // The sandbox knows the orders, and the registered URL with its secret.
    const isOffline = url !== undefined && secret !== undefined && options.order === undefined;
    const webhook = isOffline
      ? await (await import('./fire-offline.ts')).fireOffline(io, { ...input, url, secret })
      : await control().post<FiredWebhook>('/webhooks/fire', input);
    out.result(webhook, (result, formatter) => formatFired(result, formatter, isForged));
    if (isForged) return assertRejected(webhook);
    if (webhook.ok) return;
    throw new CommandFailedError(`${webhook.url} did not respond with 200 within 5 s`);
  },
});

type Attempt = FiredWebhook['attempts'][number];

/** Returns whether the receiver responded with a status other than 200. */
function isRejected({ http_status }: Attempt): boolean {
  return http_status !== null && http_status !== 200;
}

/** @throws CommandFailedError unless the receiver rejected each attempt */
function assertRejected({ url, attempts }: FiredWebhook): void {
  if (attempts.every(isRejected)) return;
  throw new CommandFailedError(
    attempts.some(({ http_status }) => http_status === 200)
      ? `${url} accepted a webhook with a wrong signature`
      : `${url} did not respond, so it did not reject the wrong signature`,
  );
}

function formatFired(
  { url, event, attempts }: FiredWebhook,
  { colors }: Formatter,
  isForged: boolean,
): string[] {
  const { type, id } = event as { type: string; id: string };
  return [
    `${type} ${id} → ${url}`,
    colors.dim(`not in the event history: GET /events rejects ${id} as after_id`),
    ...attempts.flatMap((attempt) => {
      const { duration_ms, response, outcome } = attempt;
      const hint = isForged ? undefined : failureHint(outcome);
      return [
        `${resultOf(attempt, isForged, colors)} in ${duration_ms} ms`,
        ...(response ? [colors.dim(oneLine(response))] : []),
        ...(hint === undefined ? [] : [hint]),
      ];
    }),
  ];
}

function resultOf(attempt: Attempt, isForged: boolean, { success, error }: Colors): string {
  const { outcome, http_status } = attempt;
  if (!isForged) return outcome === 'ok' ? success('✓ 200') : error(`✗ ${outcome}`);
  if (isRejected(attempt)) return success(`✓ rejected with ${http_status}`);
  return error(outcome === 'ok' ? '✗ accepted with 200' : `✗ ${outcome}`);
}
