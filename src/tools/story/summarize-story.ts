import { countOf } from '../../kernel/count.ts';
import { formatLongDuration } from '../../kernel/time.ts';
import { type StoryNode, type StoryStep, storyStep } from './story-step.ts';

/** Patterns of up to `MAX_PERIOD` steps are summarized if they occur at least `MIN_REPEATS` times. */
const MAX_PERIOD = 4;
const MIN_REPEATS = 3;

/** A longer story is shown without its middle. */
const FIRST_SHOWN = 60;
const LAST_SHOWN = 140;

export function summarizeStory(steps: readonly StoryNode[]): StoryStep[] {
  const summarized = withoutRepeats(steps);
  const hiddenCount = summarized.length - FIRST_SHOWN - LAST_SHOWN;
  if (hiddenCount <= 1) return summarized;
  const last = summarized[FIRST_SHOWN + hiddenCount - 1];
  return [
    ...summarized.slice(0, FIRST_SHOWN),
    storyStep({
      kind: 'note',
      actor: 'sandbox',
      at: summarized[FIRST_SHOWN]?.at ?? 0,
      until: last?.until ?? last?.at ?? null,
      text: `${countOf(hiddenCount, 'step')} left out`,
      count: hiddenCount,
    }),
    ...summarized.slice(-LAST_SHOWN),
  ];
}

function withoutRepeats(steps: readonly StoryNode[]): StoryStep[] {
  const result: StoryStep[] = [];
  for (let at = 0; at < steps.length; ) {
    const { period, repeats } = repetitionAt(steps, at);
    result.push(...steps.slice(at, at + period));
    const end = at + period * repeats;
    if (repeats > 1) result.push(repeatStep(steps.slice(at, end), period, repeats - 1));
    at = end;
  }
  return result;
}

/** Finds the pattern that covers the most steps from a position on. */
function repetitionAt(
  steps: readonly StoryNode[],
  at: number,
): { period: number; repeats: number } {
  let best = { period: 1, repeats: 1 };
  for (let period = 1; period <= MAX_PERIOD; period += 1) {
    let end = at + period;
    while (end < steps.length && steps[end]?.groupKey === steps[end - period]?.groupKey) end += 1;
    const repeats = Math.floor((end - at) / period);
    if (repeats >= MIN_REPEATS && repeats * period > best.repeats * best.period) {
      best = { period, repeats };
    }
  }
  return best;
}

function repeatStep(steps: readonly StoryNode[], period: number, extraRepeats: number): StoryStep {
  const [first] = steps.slice(period);
  const last = steps.at(-1);
  const from = steps[0]?.at ?? 0;
  const until = last?.at ?? from;
  const subject = period === 1 ? 'The same' : `The same ${period} steps`;
  const times = extraRepeats === 1 ? 'once more' : `${extraRepeats} more times`;
  return storyStep({
    kind: 'repeat',
    actor: last?.actor ?? 'sandbox',
    to: last?.to ?? null,
    at: first?.at ?? from,
    until,
    text: `${subject}, ${times}`,
    detail: until > from ? `Over ${formatLongDuration(until - from)}.` : null,
    tone: last?.tone ?? 'neutral',
    count: extraRepeats * period,
    requestId: last?.requestId ?? null,
    eventId: last?.eventId ?? null,
    deliveryId: last?.deliveryId ?? null,
  });
}

/** Removes clock moves before the first and after the last other step, and merges those in between. */
export function withoutIdleClock(steps: readonly StoryNode[]): StoryNode[] {
  const isClock = ({ kind }: StoryNode) => kind === 'clock';
  const first = steps.findIndex((step) => !isClock(step));
  const last = steps.findLastIndex((step) => !isClock(step));
  const merged: StoryNode[] = [];
  let run: StoryNode[] = [];
  for (const step of [...steps.slice(first, last + 1)]) {
    if (isClock(step)) {
      run.push(step);
      continue;
    }
    merged.push(...mergeClock(run), step);
    run = [];
  }
  return merged;
}

function mergeClock(run: readonly StoryNode[]): readonly StoryNode[] {
  const [first] = run;
  const last = run.at(-1);
  if (!first || !last || run.length <= 2) return run;
  const text = `Move the clock ${run.length} times`;
  return [{ ...first, text, until: last.at, count: run.length, groupKey: text }];
}
