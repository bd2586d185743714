import type { ControlWorld } from '../../../world/resources.ts';
import type { Paper } from '../../output.ts';
import { showClock } from '../clock/show-clock.ts';

/** A world for people. */
export function showWorld({ name, seed, clock, created_at }: ControlWorld, paper: Paper): string {
  return paper.block([
    ['world', name],
    ['seed', seed],
    ['clock', showClock(clock, { ...paper, paint: { ...paper.paint, strong: (text) => text } })],
    ['created', created_at],
  ]);
}
