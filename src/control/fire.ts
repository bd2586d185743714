import { z } from 'zod';
import { EVENT_KINDS, EVENT_TYPES, type EventType } from '../events/event-types.ts';
import { requiredText, secretText, webhookUrl, wholeNumber } from '../http/fields.ts';
import { conflict, validationError } from '../kernel/errors.ts';
import { DEFAULT_CREDENTIAL } from '../market/defaults.ts';
import { orderEventData } from '../market/orders/order.ts';
import { statusAtEvent, TRANSITIONS } from '../market/orders/order-actions.ts';
import { type OrderRow, requireOrderOf } from '../market/orders/orders.ts';
import { findPartnerByIdOrName } from '../market/partners/credentials.ts';
import type { Owner } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import {
  type FireRequest,
  firedBody,
  firedWebhook,
  fireWebhook,
  loadSampler,
} from '../webhooks/fire.ts';
import { findRegistration } from '../webhooks/registrations.ts';
import { named, post } from './endpoint.ts';

const MAX_TIMES = 100;

const body = z.strictObject({
  type: z.enum(EVENT_TYPES),
  url: webhookUrl().optional(),
  secret: secretText().optional(),
  order: requiredText(100).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  set: z.record(z.string(), z.unknown()).optional(),
  times: wholeNumber(1, MAX_TIMES).default(1),
  corrupt_signature: z.boolean().default(false),
});

export const fireEndpoints = named({
  postWebhooksFire: post('/webhooks/fire', {
    summary: 'Send a signed webhook now, about an existing order or with sample data.',
    description:
      'Sent at once, outside the event history and the retry schedule. `url` and `secret` are by default those of the registered webhook. The response shows what the receiver responded.',
    body: () => body,
    response: firedWebhook,
    async handle({ world, request, context, body: input }) {
      if (input.order !== undefined && input.data !== undefined) {
        throw validationError('data: pass either `order` or `data`, not both');
      }
      if (input.order !== undefined && EVENT_KINDS[input.type].subject !== 'order') {
        throw validationError(`order: ${input.type} is not about an order; leave it out`);
      }
      const sampleEventData = await loadSampler();
      const fireRequest = world.transaction((tx) => {
        const order =
          input.order === undefined ? undefined : requireOrderOf('order')(tx, input.order);
        // In a world without the default credential, its partner may have another id, or not exist.
        const { partner, partnerId } = DEFAULT_CREDENTIAL;
        const senderId = findPartnerByIdOrName(tx, partner)?.partnerId ?? partnerId;
        const owner = order ?? { partnerId: senderId, environment: 'SANDBOX' };
        const fire: FireRequest = {
          ...input,
          ...targetOf(tx, owner, input),
          partnerId: owner.partnerId,
          id: tx.nextId('evt'),
          createdAt: tx.now,
          data:
            input.data ??
            (order ? orderDataFor(input.type, order) : sampleEventData(input.type, tx.now)),
        };
        // An invalid body is rejected in the transaction, so that its id is rolled back.
        firedBody(fire);
        return fire;
      }, request);
      return fireWebhook(context.send, fireRequest);
    },
  }),
});

/** Returns the data of an event about an order, in its own state if the event leads there, else in the first such state. */
function orderDataFor(type: EventType, order: OrderRow): Record<string, unknown> {
  const isStateOfEvent = TRANSITIONS.some(
    (transition) => transition.event === type && transition.to === order.status,
  );
  return orderEventData.view(isStateOfEvent ? order : { ...order, status: statusAtEvent(type) });
}

/** Returns the URL and secret of the input, or else those that the partner has registered. @throws conflict */
function targetOf(tx: Tx, owner: Owner, input: z.output<typeof body>) {
  const registration = findRegistration(tx, owner);
  const url = input.url ?? registration?.url;
  const secret = input.secret ?? registration?.secret;
  if (url !== undefined && secret !== undefined) return { url, secret };
  const missingField = url === undefined ? 'url' : 'secret';
  throw conflict(
    `${missingField}: missing, and no webhook is registered for ${owner.partnerId} in ${owner.environment}; pass \`url\` and \`secret\`, or register a webhook with PUT /api/partner/webhooks`,
  );
}
