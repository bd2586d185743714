import { z } from 'zod';
import { idOf, nextCursor, record } from '../kernel/answer.ts';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import { deliverySchema } from '../webhooks/delivery-schema.ts';
import { brokerageEventSchema, orderEventSchema } from '../webhooks/event.ts';

const controlFields = () => ({
  subject_id: z.string(),
  partner_id: idOf('ptr'),
  environment: z.enum(ENVIRONMENTS),
});

const ofOrder = record(
  'ControlOrderEvent',
  { says: 'An event with its partner and order.' },
  () => ({ ...orderEventSchema().shape, ...controlFields() }),
);
const ofCase = record(
  'ControlBrokerageEvent',
  { says: 'An event with its partner and case.' },
  () => ({ ...brokerageEventSchema().shape, ...controlFields() }),
);
const anyEvent = () => z.union([ofOrder(), ofCase()]);

export const operatorEventPageSchema = record(
  'ControlEventPage',
  { says: 'Events of every partner, newest first.' },
  () => ({ events: z.array(anyEvent()), next_cursor: nextCursor() }),
);

export const deliveryDetailSchema = record(
  'DeliveryDetail',
  { says: 'A delivery with its event.' },
  () => ({ ...deliverySchema().shape, event: anyEvent() }),
);
