import { display } from '../kernel/columns.ts';
import type { EventType } from './event-types.ts';

/** How the CLI and the dashboard show an event. */
export const eventDisplay = display<{
  id: string;
  type: EventType;
  subject_id: string;
  created_at: string;
}>({
  id: ['Event', (item) => item.id, 'id'],
  type: ['Type', (item) => item.type, 'status'],
  subject_id: ['About', (item) => item.subject_id, 'id'],
  created_at: ['At', (item) => item.created_at, 'time'],
});
