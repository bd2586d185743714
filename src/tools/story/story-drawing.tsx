// biome-ignore-all lint/a11y/noSvgWithoutTitle: the drawing is hidden from screen readers, which read its list
import type { OrderStoryStep } from './order-story.ts';

type Actor = OrderStoryStep['actor'];

/** Positions of the lifelines, in percent. Operators act on the sandbox. */
const X: Readonly<Record<Actor, number>> = { partner: 10, operator: 50, sandbox: 50, receiver: 90 };

const LIFELINES: readonly Actor[] = ['partner', 'sandbox', 'receiver'];

/** Draws the lifelines of a step. */
export function Lifelines() {
  return (
    <svg class="lifelines" aria-hidden="true" focusable="false">
      {LIFELINES.map((actor) => (
        <line class={actor} x1={`${X[actor]}%`} x2={`${X[actor]}%`} y1="0" y2="100%" />
      ))}
    </svg>
  );
}

interface ArrowProps {
  class: 'call' | 'back';
  from: Actor;
  to: Actor;
  /** Ends the arrow halfway, with a cross. */
  broken?: boolean;
}

/** Draws an arrow between two lifelines, in pixels. Only its length scales with the page, not its head. */
export function Arrow({ class: kind, from, to, broken = false }: ArrowProps) {
  const [start, end] = [X[from], X[to]];
  const tip = broken ? (start + end) / 2 : end;
  const backward = start < end ? -1 : 1;
  return (
    <svg class={`arrow ${kind}`} aria-hidden="true" focusable="false">
      <line x1={`${start}%`} x2={`${tip}%`} y1="7" y2="7" />
      <svg class="head" x={`${tip}%`} y="7">
        {broken ? (
          <path d="M-4.5,-4.5 4.5,4.5 M-4.5,4.5 4.5,-4.5" />
        ) : (
          <path d={`M${backward * 8},-4.5 ${backward},0 ${backward * 8},4.5`} />
        )}
      </svg>
      <circle cx={`${start}%`} cy="7" r="2.5" />
    </svg>
  );
}
