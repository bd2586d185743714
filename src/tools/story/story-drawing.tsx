// biome-ignore-all lint/a11y/noSvgWithoutTitle: the drawing is hidden from screen readers, which read its list
import type { OrderStoryStep } from './order-story.ts';

type Actor = OrderStoryStep['actor'];

/** Positions of the lifelines, in percent, which `styles.ts` repeats. Operators act on the sandbox. */
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

/** Half the height of `.arrow` in styles.ts, in pixels. */
const MIDDLE = 7;

interface ArrowProps {
  leg: 'call' | 'back';
  from: Actor;
  to: Actor;
  /** Ends the arrow halfway, with a cross. */
  broken?: boolean;
}

/** Draws an arrow between two lifelines. Its length scales with the page; its head is in pixels. */
export function Arrow({ leg, from, to, broken = false }: ArrowProps) {
  const [start, end] = [X[from], X[to]];
  const tip = broken ? (start + end) / 2 : end;
  const towardsStart = start < end ? -1 : 1;
  return (
    <svg class={`arrow ${leg}`} aria-hidden="true" focusable="false">
      <line x1={`${start}%`} x2={`${tip}%`} y1={MIDDLE} y2={MIDDLE} />
      <svg class="head" x={`${tip}%`} y={MIDDLE}>
        {broken ? (
          <path d="M-4.5,-4.5 4.5,4.5 M-4.5,4.5 4.5,-4.5" />
        ) : (
          <path d={`M${towardsStart * 8},-4.5 ${towardsStart},0 ${towardsStart * 8},4.5`} />
        )}
      </svg>
      <circle cx={`${start}%`} cy={MIDDLE} r="2.5" />
    </svg>
  );
}
