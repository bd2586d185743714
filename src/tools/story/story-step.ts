import type { Tone } from '../../kernel/columns.ts';
import { DAY, formatLongDuration, isoTime, SECOND } from '../../kernel/time.ts';

export const STORY_ACTORS = ['partner', 'operator', 'sandbox', 'receiver'] as const;
type StoryActor = (typeof STORY_ACTORS)[number];

/**
 * `request`: the partner calls the API. `action`: an operator calls the control API. `clock`: an operator moves the
 * clock. `move`: the order enters a state. `attempt`: a webhook is sent. `pending`: what comes next. `repeat`: the
 * steps before it happen again. `note`: what the story cannot show.
 */
export const STORY_KINDS = [
  'request',
  'action',
  'clock',
  'move',
  'event',
  'attempt',
  'pending',
  'repeat',
  'note',
] as const;
type StoryKind = (typeof STORY_KINDS)[number];

/** A step of an order's story. Every text is one line and complete by itself. */
export interface StoryStep {
  kind: StoryKind;
  actor: StoryActor;
  /** Whom it is sent to; null for what the sandbox does by itself. */
  to: StoryActor | null;
  /** Sandbox time, Unix ms. */
  at: number;
  /** Time of the last repetition. */
  until: number | null;
  text: string;
  response: string | null;
  /** The effect, the reason, or what comes next. */
  detail: string | null;
  tone: Tone;
  /** How many steps a repetition or a note stands for; else 1. */
  count: number;
  /** When a request came in; Unix ms. */
  realAt: number | null;
  /** How long the response took, in real time. */
  durationMs: number | null;
  requestId: string | null;
  eventId: string | null;
  deliveryId: string | null;
}

/** A step before it is put in order. */
export interface StoryNode extends StoryStep {
  /** How often a snapshot was restored before. */
  restoreCount: number;
  /** Equal for steps that say the same. */
  groupKey: string;
}

const DEFAULTS = {
  to: null,
  until: null,
  response: null,
  detail: null,
  tone: 'neutral',
  count: 1,
  realAt: null,
  durationMs: null,
  requestId: null,
  eventId: null,
  deliveryId: null,
} as const;

export function storyStep(
  step: Pick<StoryStep, 'kind' | 'actor' | 'at' | 'text'> & Partial<StoryStep>,
): StoryStep {
  return { ...DEFAULTS, ...step };
}

/** `09:00:05`, and with the day if it differs from that of `reference`: `2026-03-04 09:00:05`. */
export function timeOfDay(at: number, reference: number): string {
  const iso = isoTime(at);
  const isSameDay = Math.floor(at / DAY) === Math.floor(reference / DAY);
  return `${isSameDay ? '' : `${iso.slice(0, 10)} `}${iso.slice(11, 19)}`;
}

/** `3 days later`; undefined for less than a second. */
export function formatGap(from: number, to: number): string | undefined {
  if (to - from < SECOND) return undefined;
  return `${formatLongDuration(to - from)} later`;
}

export function shorten(text: string, length = 200): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
