import { EVENT_TYPES, type EventType } from '../events/event-types.ts';
import type { Tone } from '../kernel/columns.ts';
import { type Fields, resource } from '../kernel/resource.ts';

export interface TimelineRow<Status extends string> {
  status: Status;
  /** Sandbox time, Unix ms. */
  at: number;
  event: EventType | null;
  note: string | null;
}

/** Declares the timeline entry of an order or a case. */
export function timelineEntryOf<const Statuses extends readonly string[]>(
  id: string,
  description: string,
  statuses: Statuses,
  tone: (status: Statuses[number]) => Tone = () => 'neutral',
) {
  return resource(
    id,
    description,
    ({ oneOf, time, text }: Fields<TimelineRow<Statuses[number]>>) => ({
      status: oneOf(statuses).tone(tone),
      at: time(),
      event: oneOf(EVENT_TYPES).nullable(),
      note: text().nullable(),
    }),
  ).display({ at: 'At', status: 'Status', event: 'Event', note: 'Note' });
}
