import type { ControlSnapshot } from '../../../world/resources.ts';
import type { Paper } from '../../output.ts';

/** A snapshot for people. */
export function showSnapshot(snapshot: ControlSnapshot, paper: Paper): string {
  const { name, world, clock, created_at } = snapshot;
  return paper.block([
    ['snapshot', name],
    ['world', world],
    ['clock', clock && clock.now + (clock.frozen ? ', frozen' : '')],
    ['saved', created_at],
    ['size', sizeText(snapshot)],
  ]);
}

/** `1.4 MB`. */
export function sizeText({ size_bytes }: ControlSnapshot): string {
  return `${(size_bytes / 1_000_000).toFixed(1)} MB`;
}
