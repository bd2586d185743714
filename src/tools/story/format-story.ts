import { oneLine, toneColor, wrap } from '../../cli/layout.ts';
import type { Formatter } from '../../cli/output.ts';
import { arrowOf, type OrderStory, type OrderStoryStep, statusIn } from './order-story.ts';

/** Columns of text beside the time and the drawing, in a terminal of 80. */
const TEXT_WIDTH = 50;
const BREAK_WORDS = true;
const LIFELINES = '│        │        │';
const BROKEN_LIFELINES = '┆        ┆        ┆';
const MARKS: Readonly<Record<string, string>> = { move: '●', event: '○' };

/** Formats the story of an order as a sequence diagram with text on the right. */
export function formatStory(story: OrderStory, formatter: Formatter): string[] {
  const { bold, dim } = formatter.colors;
  const { domain, status, public_id, steps } = story;
  return [
    `${bold(oneLine(domain))}  ${status}  ${dim(public_id)}`,
    '',
    bold('      partner  sandlot  receiver'),
    ...steps.flatMap((step, index) => [
      ...dividerLines(step, steps[index - 1], formatter),
      ...stepLines(step, steps[index - 1], formatter),
    ]),
  ];
}

function dividerLines(
  { at, after }: OrderStoryStep,
  previous: OrderStoryStep | undefined,
  { colors: { bold, dim } }: Formatter,
): string[] {
  const gap = after === null ? [] : [line('', BROKEN_LIFELINES, dim(after))];
  return previous?.at.slice(0, 10) === at.slice(0, 10) ? gap : [...gap, bold(at.slice(0, 10))];
}

function stepLines(
  step: OrderStoryStep,
  previous: OrderStoryStep | undefined,
  { colors }: Formatter,
): string[] {
  const { kind, actor, at, text, response, detail, tone, request_id, event_id, delivery_id } = step;
  const id = (kind === 'event' ? event_id : (delivery_id ?? request_id)) ?? '';
  const time = previous?.at.slice(0, 19) === at.slice(0, 19) ? '' : at.slice(11, 19);
  const by = actor === 'operator' ? `${actor}: ` : '';
  const color = toneColor(kind === 'move' || response !== null ? tone : 'neutral', colors);
  const [first = '', ...moreLines] = wrap(by + oneLine(text), TEXT_WIDTH, BREAK_WORDS);
  const drawings = drawingOf(step);
  let texts = [kind === 'move' ? color(first) : first, ...moreLines];
  if (response !== null)
    texts.push(...withId(wrap(oneLine(response), TEXT_WIDTH, BREAK_WORDS), id, colors.dim, color));
  else if (kind !== 'move') texts = withId(texts, id, colors.dim);
  if (detail !== null)
    texts.push(...wrap(oneLine(detail), TEXT_WIDTH, BREAK_WORDS).map(colors.dim));
  const height = Math.max(texts.length, drawings.length);
  return Array.from({ length: height }, (_, n) =>
    line(n === 0 ? time : '', drawings[n] ?? LIFELINES, texts[n] ?? ''),
  );
}

/** Adds an id to the last line, or below it if it does not fit. */
function withId(
  lines: readonly string[],
  id: string,
  dim: (text: string) => string,
  color = (text: string) => text,
): string[] {
  const last = lines.at(-1) ?? '';
  const colored = lines.map(color);
  if (id === '') return colored;
  if (last.length + 2 + id.length > TEXT_WIDTH) return [...colored, dim(id)];
  return [...colored.slice(0, -1), `${colored.at(-1)}  ${dim(id)}`];
}

function line(time: string, drawing: string, text: string): string {
  return `${time.padEnd(9)}${drawing}  ${text}`.trimEnd();
}

/** Draws a message and its response, or a mark on the lifeline of the sandbox. */
function drawingOf(step: OrderStoryStep): string[] {
  const { kind, response } = step;
  if (!arrowOf(step)) return [`│        ${MARKS[kind] ?? '◆'}        │`];
  const responseArrow = response === null ? [] : [arrowOfResponse(response)];
  return ['───────▶', ...responseArrow].map((arrow) =>
    kind === 'request' ? `│${arrow}│        │` : `│        │${arrow}│`,
  );
}

/** Draws the response, with its status; a broken arrow if there was none. */
function arrowOfResponse(response: string): string {
  const status = statusIn(response);
  return status === undefined ? '   ✗╌╌╌╌' : `◀─ ${status} ─`;
}
