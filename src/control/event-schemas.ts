import { z } from 'zod';
import { nextCursor, record } from '../kernel/answer.ts';
import { deliverySchema } from '../webhooks/delivery-schema.ts';
import { brokerageEventSchema, orderEventSchema } from '../webhooks/event-schema.ts';
import { owned } from './owned-schema.ts';

const ofOrder = owned('OperatorOrderEvent', 'An event with its partner and order.', () =>
  orderEventSchema().extend({ subject_id: z.string() }),
);
const ofCase = owned('OperatorBrokerageEvent', 'An event with its partner and case.', () =>
  brokerageEventSchema().extend({ subject_id: z.string() }),
);
const anyEvent = () => z.union([ofOrder(), ofCase()]);

export const operatorEventPageSchema = record(
  'OperatorEventPage',
  { says: 'Events of every partner, newest first.' },
  () => ({ events: z.array(anyEvent()), next_cursor: nextCursor() }),
);

export const deliveryDetailSchema = record(
  'DeliveryDetail',
  { says: 'A delivery with its event.' },
  () => ({ ...deliverySchema().shape, event: anyEvent() }),
);
