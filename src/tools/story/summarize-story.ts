import { formatLongDuration } from '../../kernel/time.ts';
import type { StoryNode, StoryStep } from './story-step.ts';

/** A step that occurs at least so often in a row is shown once, with the number of its repetitions. */
const MIN_REPEATS = 3;

/** Shows steps that occur several times in a row once, with the number of repetitions. */
export function summarizeStory(steps: readonly StoryNode[]): StoryStep[] {
  const result: StoryStep[] = [];
  for (let at = 0, end = 0; at < steps.length; at = end) {
    end = at + 1;
    while (end < steps.length && steps[end]?.groupKey === steps[at]?.groupKey) end += 1;
    const run = steps.slice(at, end);
    result.push(...(run.length < MIN_REPEATS ? run : [...run.slice(0, 1), repeatStep(run)]));
  }
  return result;
}

function repeatStep(run: readonly StoryNode[]): StoryStep {
  const [first, second] = run;
  const last = run.at(-1);
  if (!first || !second || !last) throw new Error('a repetition has two steps or more');
  const repeats = run.length - 1;
  return {
    ...last,
    kind: 'repeat',
    at: second.at,
    until: last.at,
    text: `The same, ${repeats} more times`,
    response: null,
    detail: last.at > first.at ? `Over ${formatLongDuration(last.at - first.at)}.` : null,
    count: repeats,
  };
}

/** Removes clock moves before the first and after the last other step. */
export function withoutIdleClock(steps: readonly StoryNode[]): readonly StoryNode[] {
  const isOther = ({ kind }: StoryNode) => kind !== 'clock';
  return steps.slice(steps.findIndex(isOther), steps.findLastIndex(isOther) + 1);
}
