import type { EventType } from '../../events/event-types.ts';
import type { Expected, Level } from './result.ts';

export interface Delivery {
  /** In the order in which they are sent; Host and User-Agent are added by the transport. */
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
  eventId: string;
  orderId: string;
  /** Sent as three writes, split at these offsets of the body. */
  splitAt?: readonly [number, number];
  /** Sent before the probe is read for the first time. */
  prior?: true;
  /** A forged delivery in a check that expects 200 otherwise. */
  forged?: boolean;
}

export type Procedure =
  | 'in_turn'
  | 'at_once'
  | 'one_connection'
  | 'repeat'
  | 'hang_up'
  | 'forgery_first'
  | 'no_return'
  | 'response_times';

/** One test with a stable id; the part before the dot is its group. */
export interface CheckInfo {
  id: string;
  level: Level;
  sent: string;
  expected: Expected;
  /** Meaning of a failure, if the response alone does not tell. */
  meaning: string | null;
  fix: string | null;
}

export interface Check extends CheckInfo {
  procedure: Procedure;
  build(source: Source): Delivery[];
}

/** The order (or brokerage case) that a delivery is about. */
export type Subject = Record<string, unknown>;

export interface Source {
  readonly secret: string;
  readonly baseType: EventType;
  /** The subject of the current check: the same at every call within one check. */
  subject(): Subject;
  /** As `subject`, but another one at every call. */
  anotherSubject(): Subject;
  /** An order that the receiver cannot know. */
  unknownSubject(): Subject;
  eventId(): string;
  /** ISO 8601 time, `offsetMs` from the time of the base delivery. */
  time(offsetMs?: number): string;
  repeated: Delivery | undefined;
}

export function groupOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}
