import { and, eq, type InferSelectModel } from 'drizzle-orm';
import { inserter, param, prepared } from '../store/prepared.ts';
import type { Environment } from '../store/schema/enums.ts';
import { deliveries, events, webhooks } from '../store/schema/events.ts';
import type { Tx } from '../store/transaction.ts';
import type { EventType } from './event-types.ts';

export type EventRow = InferSelectModel<typeof events>;

export interface NewEvent {
  type: EventType;
  partnerId: string;
  environment: Environment;
  /** The order or case it is about. */
  subjectId: string;
  data: Record<string, unknown>;
}

const insertEvent = inserter(events);
const insertDelivery = inserter(deliveries);
const registration = prepared((db) =>
  db
    .select({ url: webhooks.url })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.partnerId, param('partnerId')),
        eq(webhooks.environment, param('environment')),
        eq(webhooks.active, true),
      ),
    )
    .prepare(),
);

/** Records an event and, if the partner has registered a webhook, its delivery. Sends nothing. */
export function recordEvent(tx: Tx, event: NewEvent): EventRow {
  const row: EventRow = { ...event, id: tx.nextId('evt'), createdAt: tx.now };
  insertEvent(tx, row);
  const deliveryId = queueDelivery(tx, row) ?? null;
  tx.logChange({
    what: 'event',
    detail: { event_id: row.id, type: row.type, delivery_id: deliveryId },
  });
  tx.eventRecorded();
  return row;
}

/** Adds a delivery that is due now. @returns its id; undefined if the partner has no webhook registered */
export function queueDelivery(tx: Tx, event: EventRow): string | undefined {
  const { partnerId, environment } = event;
  const hook = registration(tx).get({ partnerId, environment });
  if (!hook) return undefined;
  const id = tx.nextId('dlv');
  insertDelivery(tx, {
    id,
    eventId: event.id,
    partnerId,
    environment,
    url: hook.url,
    status: 'pending',
    attemptCount: 0,
    nextAttemptAt: tx.now,
    createdAt: tx.now,
  });
  tx.wakeScheduler();
  return id;
}
