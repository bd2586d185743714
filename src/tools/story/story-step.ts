import type { Tone } from '../../kernel/columns.ts';
import { truncate } from '../../kernel/printable.ts';
import { DAY, isoTime } from '../../kernel/time.ts';

export const STORY_ACTORS = ['partner', 'operator', 'sandbox', 'receiver'] as const;
type StoryActor = (typeof STORY_ACTORS)[number];

/**
 * `request`: the partner calls the API. `action`: an operator calls the control API. `clock`: an operator moves, freezes
 * or resumes the clock. `move`: the order enters a state. `event`: the event of a move. `attempt`: a webhook is sent.
 */
export const STORY_KINDS = ['request', 'action', 'clock', 'move', 'event', 'attempt'] as const;
type StoryKind = (typeof STORY_KINDS)[number];

/** A step of the story of an order. Each text is one line, and understandable alone. */
export interface StoryStep {
  kind: StoryKind;
  actor: StoryActor;
  /** Who gets the request or webhook; null for a move and an event. */
  to: StoryActor | null;
  /** Sandbox time, Unix ms. */
  at: number;
  text: string;
  /** Begins with the status if there was one; `statusIn` reads it. */
  response: string | null;
  /** The effect, the reason, or what comes next. */
  detail: string | null;
  tone: Tone;
  requestId: string | null;
  eventId: string | null;
  deliveryId: string | null;
}

const DEFAULTS = {
  to: null,
  response: null,
  detail: null,
  tone: 'neutral',
  requestId: null,
  eventId: null,
  deliveryId: null,
} as const;

export function storyStep(
  step: Pick<StoryStep, 'kind' | 'actor' | 'at' | 'text'> & Partial<StoryStep>,
): StoryStep {
  return { ...DEFAULTS, ...step };
}

/** Returns `09:00:05`, or `2026-03-04 09:00:05` if the day differs from that of `reference`. */
export function timeOfDay(at: number, reference: number): string {
  const iso = isoTime(at);
  const isSameDay = Math.floor(at / DAY) === Math.floor(reference / DAY);
  return `${isSameDay ? '' : `${iso.slice(0, 10)} `}${iso.slice(11, 19)}`;
}

export function shortenLine(text: string, length = 200): string {
  return truncate(text.replace(/\s+/g, ' ').trim(), length);
}
