import { raw } from 'hono/html';
import { formatDuration, parseIsoTime, SECOND } from '../../kernel/time.ts';
import { stylesheet } from '../../ui/assets.ts';
import { escapeInvisibleInLine } from '../../ui/text.tsx';
import { arrowOf, isBroken, type OrderStory, type OrderStoryStep } from './order-story.ts';
import { shorten } from './story-step.ts';

/** Positions in pixels from the left: two axes, three lanes, and the text. */
const X = { real: 76, clock: 166, partner: 286, sandbox: 396, receiver: 506, text: 530 };
const LANES = { partner: 'Your app', sandbox: 'Marketplace', receiver: 'Your receiver' };
const WIDTH = 960;
const TOP = 76;
/** Heights in pixels: between steps at the same time; of a wait at least; of a wait on average; of all waits at most. */
const ROW = 22;
const MIN_WAIT = 40;
const WAIT = 150;
const MAX_WAITS = 1_000;
const MAX_TEXT = 48;
const MAX_RESPONSE = 24;
const TRACKS = 8;

interface Row {
  step: OrderStoryStep;
  at: number;
  y: number;
  /** Sandbox time since the previous step, in ms; 0 if less than a second. */
  wait: number;
  /** Whether the wait is drawn longer than to scale. */
  isStretched: boolean;
}

interface DrawingProps {
  story: OrderStory;
  /** A file has its own styles. */
  isFile?: boolean;
}

/** Draws a story to scale: sandbox time from top to bottom, real time next to it, a lane for each party. */
export function ScaleDrawing({ story, isFile = false }: DrawingProps) {
  const { rows, msPerPixel } = layOut(story);
  const bottom = (rows.at(-1)?.y ?? TOP) + ROW;
  const longest = Math.max(0, ...rows.map(({ wait }) => wait));
  const scale =
    msPerPixel > 0
      ? `100 px of sandbox time are ${formatDuration(msPerPixel * 100)}. A dashed wait is shorter than drawn.`
      : 'No sandbox time passes between the steps.';
  const height = bottom + 34;
  return (
    <svg
      class="to-scale"
      role="img"
      aria-labelledby="scale-title scale-desc"
      width={WIDTH}
      height={height}
      viewBox={`0 0 ${WIDTH} ${height}`}
      {...(isFile && { xmlns: 'http://www.w3.org/2000/svg' })}
    >
      <title id="scale-title">
        {escapeInvisibleInLine(`The story of ${story.domain} to scale`)}
      </title>
      <desc id="scale-desc">
        {escapeInvisibleInLine(story.summary)}{' '}
        {longest > 0 && `The longest wait is ${formatDuration(longest)}. `}
        {scale}
      </desc>
      {isFile && <style>{raw(stylesheet('colors').text + SCALE_STYLES)}</style>}
      <rect class="ground" width={WIDTH} height={height} />
      <text class="quiet" x={X.real} y="24" text-anchor="middle">
        Real time
      </text>
      <text class="quiet" x={X.clock} y="24" text-anchor="middle">
        Sandbox time
      </text>
      {(['partner', 'sandbox', 'receiver'] as const).map((lane) => (
        <>
          <rect class="head" x={X[lane] - 50} y="8" width="100" height="26" rx="8" />
          <text class="strong" x={X[lane]} y="25.5" text-anchor="middle">
            {LANES[lane]}
          </text>
          <path class="lane" d={`M${X[lane]},34V${bottom}`} />
        </>
      ))}
      <States rows={rows} bottom={bottom} />
      <RealTime rows={rows} bottom={bottom} />
      {rows.map((row, n) => (
        <Wait row={row} before={rows[n - 1]} />
      ))}
      <Deliveries rows={rows} />
      {rows.map(({ step, y }) => (
        <g class={step.tone}>
          <StepMark step={step} y={y} />
          <text x={X.text} y={y + 4} class={step.kind === 'move' ? 'strong' : undefined}>
            {escapeInvisibleInLine(shorten(textOf(step), MAX_TEXT))}
            {step.response !== null && (
              <tspan class="response" dx="8">
                {escapeInvisibleInLine(shorten(step.response, MAX_RESPONSE))}
              </tspan>
            )}
            {step.detail !== null && <title>{escapeInvisibleInLine(step.detail)}</title>}
          </text>
        </g>
      ))}
      <text class="quiet" x={X.clock} y={bottom + 22}>
        {scale}
      </text>
    </svg>
  );
}

/** Returns the drawing as a file. */
export function scaleFile(story: OrderStory): string {
  return `${String(<ScaleDrawing story={story} isFile />)}\n`;
}

/** Computes the position of each step. The scale follows from the number and the sum of the waits. */
function layOut({ steps }: OrderStory): { rows: Row[]; msPerPixel: number } {
  const times = steps.map(({ at, until }) => ({
    at: parseIsoTime(at) ?? 0,
    end: parseIsoTime(until ?? at) ?? 0,
  }));
  const waits = times.map(({ at }, n) => {
    const wait = at - (times[n - 1]?.end ?? at);
    return wait < SECOND ? 0 : wait;
  });
  const lengths = [...waits, ...times.map(({ at, end }) => end - at)].filter((ms) => ms > 0);
  const total = lengths.reduce((sum, ms) => sum + ms, 0);
  const msPerPixel = total / Math.min(MAX_WAITS, WAIT * lengths.length);
  let y = TOP;
  const rows = steps.map((step, n): Row => {
    const wait = waits[n] ?? 0;
    const { at, end } = times[n] ?? { at: 0, end: 0 };
    const height = wait === 0 ? 0 : wait / msPerPixel;
    if (n > 0) y += wait === 0 ? ROW : Math.max(MIN_WAIT, height);
    const row = { step, at, y, wait, isStretched: wait > 0 && height < MIN_WAIT };
    if (end > at) y += (end - at) / msPerPixel;
    return row;
  });
  return { rows, msPerPixel: total === 0 ? 0 : msPerPixel };
}

/** Draws the state of the order on the lane of the marketplace, as long as it lasts. */
function States({ rows, bottom }: { rows: readonly Row[]; bottom: number }) {
  const moves = rows.filter(({ step }) => step.kind === 'move');
  return moves.map(({ step, y }, n) => (
    <rect
      class={`state ${step.tone}`}
      x={X.sandbox - 5}
      y={y}
      width="10"
      height={(moves[n + 1]?.y ?? bottom) - y}
    >
      <title>{step.text}</title>
    </rect>
  ));
}

/** Draws the real time of requests, with links to their steps. */
function RealTime({ rows, bottom }: { rows: readonly Row[]; bottom: number }) {
  const calls = rows.flatMap(({ step, y }) => {
    const at = parseIsoTime(step.real_at ?? '');
    return at === undefined ? [] : [{ at, end: at + (step.duration_ms ?? 0), y }];
  });
  const start = Math.min(...calls.map(({ at }) => at));
  const length = Math.max(1, ...calls.map(({ end }) => end - start));
  const yOf = (at: number) => TOP + ((at - start) / length) * (bottom - ROW - TOP);
  let last = { top: Number.NEGATIVE_INFINITY, label: '' };
  return (
    <>
      <path class="axis" d={`M${X.real},${TOP - 10}V${bottom}`} />
      {calls.map(({ at, end, y }) => {
        const top = yOf(at);
        const label = `+${formatDuration(at - start)}`;
        const isLabelled = top - last.top >= 15 && label !== last.label;
        if (isLabelled) last = { top, label };
        return (
          <>
            <path class="link" d={`M${X.real + 3},${top}L${X.clock - 5},${y}`} />
            <rect
              class="real"
              x={X.real - 3}
              y={top}
              width="6"
              height={Math.max(1.5, yOf(end) - top)}
            />
            {isLabelled && (
              <text class="quiet" x={X.real - 8} y={top + 4} text-anchor="end">
                {label}
              </text>
            )}
          </>
        );
      })}
    </>
  );
}

/** Draws the time before a step on the axis of the sandbox clock. */
function Wait({
  row: { step, y, wait, isStretched },
  before,
}: {
  row: Row;
  before: Row | undefined;
}) {
  const isFirst = before?.step.at.slice(0, 19) !== step.at.slice(0, 19);
  const isNewDay = before?.step.at.slice(0, 10) !== step.at.slice(0, 10);
  return (
    <>
      {before && (
        <path class={isStretched ? 'axis stretched' : 'axis'} d={`M${X.clock},${before.y}V${y}`} />
      )}
      <circle class="tick" cx={X.clock} cy={y} r="2.5" />
      {isNewDay && (
        <text class="quiet" x={X.clock + 8} y={y - 10}>
          {step.at.slice(0, 10)}
        </text>
      )}
      {isFirst && (
        <text x={X.clock + 8} y={y + 4}>
          {step.at.slice(11, 19)}
        </text>
      )}
      {before && wait > 0 && (
        <text class="wait" x={X.clock - 6} y={(before.y + y) / 2 + 4} text-anchor="end">
          {formatDuration(wait)}
        </text>
      )}
    </>
  );
}

/** Draws each delivery as a line from its first to its last attempt. */
function Deliveries({ rows }: { rows: readonly Row[] }) {
  const attemptRows = rows.filter(
    ({ step }) => step.delivery_id !== null && step.to === 'receiver',
  );
  const ends: number[] = [];
  return [...Map.groupBy(attemptRows, ({ step }) => step.delivery_id).values()].map((attempts) => {
    const [first, last] = [attempts[0], attempts.at(-1)];
    if (!first || !last || first === last) return null;
    const free = ends.findIndex((end) => end < first.y);
    const track = (free < 0 ? ends.length : free) % TRACKS;
    ends[track] = last.y;
    const x = X.sandbox + 14 + 7 * track;
    return (
      <g class={last.step.kind === 'pending' ? 'pending' : last.step.tone}>
        <path class="delivery" d={`M${x},${first.y}V${last.y}`}>
          <title>{`${first.step.text.split(',')[0]}: ${formatDuration(last.at - first.at)} of attempts`}</title>
        </path>
        {attempts.map(({ y }) => (
          <circle class="attempt" cx={x} cy={y} r="3" />
        ))}
      </g>
    );
  });
}

/** Draws a message between two lanes and its response, or a mark on the lane of the marketplace. */
function StepMark({ step, y }: { step: OrderStoryStep; y: number }) {
  const { kind, response } = step;
  const arrow = arrowOf(step);
  if (!arrow) {
    const size = kind === 'move' ? 6 : 4;
    if (kind === 'action' || kind === 'clock')
      return <path class="mark" d={`M${X.sandbox},${y - 5}l5,5-5,5-5-5z`} />;
    return <circle class={kind === 'move' ? 'mark full' : 'mark'} cx={X.sandbox} cy={y} r={size} />;
  }
  const [from, end] = arrow.from === 'partner' ? [X.partner, X.sandbox] : [X.sandbox, X.receiver];
  const responsePath = isBroken(step)
    ? `H${(from + end) / 2}m-4,-4l8,8m0,-8l-8,8`
    : `H${from}m6,-3l-6,3 6,3`;
  return (
    <>
      <path
        class={kind === 'pending' ? 'arrow later' : 'arrow'}
        d={`M${from},${y - 3}H${end}m-6,-3l6,3-6,3`}
      />
      {response !== null && <path class="arrow back" d={`M${end},${y + 4}${responsePath}`} />}
    </>
  );
}

function textOf({ kind, actor, text }: OrderStoryStep): string {
  const by = actor === 'operator' ? 'operator: ' : '';
  const due = kind === 'pending' ? 'due: ' : '';
  return `${by}${due}${text}`;
}

/** Styles of the drawing, on the page and in a file. */
export const SCALE_STYLES = `
.to-scale { display: block; font: 12px/1.2 system-ui, -apple-system, "Segoe UI", sans-serif; font-variant-numeric: tabular-nums; }
.to-scale text { fill: var(--ink); }
.to-scale :is(.quiet, .wait) { fill: var(--soft); font-size: 11px; }
.to-scale .wait { font-style: italic; }
.to-scale .strong { font-weight: 650; }
.to-scale path { fill: none; }
.to-scale .ground { fill: var(--surface); }
.to-scale .head { fill: var(--well); stroke: var(--edge); }
.to-scale .lane { stroke: var(--line); stroke-width: 1.5; }
.to-scale .axis { stroke: var(--edge); stroke-width: 2; }
.to-scale .stretched { stroke-dasharray: 3 4; }
.to-scale :is(.tick, .real) { fill: var(--edge); }
.to-scale .link { stroke: var(--line); }
.to-scale .state { fill: var(--edge); opacity: 0.35; }
.to-scale .state.success { fill: var(--accent); }
.to-scale .state.error { fill: var(--error); }
.to-scale .arrow { stroke: var(--ink); stroke-width: 1.5; }
.to-scale .back { stroke: var(--soft); }
.to-scale .response { fill: var(--soft); }
.to-scale .success .response { fill: var(--accent); }
.to-scale .error .response { fill: var(--error); }
.to-scale .success .back { stroke: var(--accent); }
.to-scale .error .back { stroke: var(--error); }
.to-scale .later { stroke-dasharray: 2 4; }
.to-scale .mark { fill: var(--surface); stroke: var(--ink); stroke-width: 1.5; }
.to-scale .mark.full { fill: var(--ink); }
.to-scale .delivery { stroke: var(--soft); stroke-width: 3; }
.to-scale .attempt { fill: var(--soft); }
.to-scale .success > .delivery { stroke: var(--accent); }
.to-scale .success > .attempt { fill: var(--accent); }
.to-scale .error > .delivery { stroke: var(--error); }
.to-scale .error > .attempt { fill: var(--error); }
.to-scale .pending > .delivery { stroke-dasharray: 2 3; }
`;
