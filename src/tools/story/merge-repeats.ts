import type { StoryStep } from './story-step.ts';

/** Replaces equal steps in a row by the first, with their number: a client may read an order hundreds of times. */
export function mergeRepeats(steps: readonly StoryStep[]): StoryStep[] {
  const groups: { step: StoryStep; count: number }[] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last && isRepeat(last.step, step)) last.count += 1;
    else groups.push({ step, count: 1 });
  }
  return groups.map(({ step, count }) =>
    count === 1 ? step : { ...step, text: `${step.text}, ${count} times` },
  );
}

function isRepeat(a: StoryStep, b: StoryStep): boolean {
  return (['kind', 'text', 'response', 'detail'] as const).every((field) => a[field] === b[field]);
}

/** Removes steps of the clock before the first and after the last other step. */
export function withoutIdleClock(steps: readonly StoryStep[]): readonly StoryStep[] {
  const isOther = ({ kind }: StoryStep) => kind !== 'clock';
  return steps.slice(steps.findIndex(isOther), steps.findLastIndex(isOther) + 1);
}
