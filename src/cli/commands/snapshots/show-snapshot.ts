import type { Paper } from '../../output.ts';
import type { SnapshotShape } from '../../shapes.ts';

/** A snapshot for people. */
export function showSnapshot(snapshot: SnapshotShape, paper: Paper): string {
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
export function sizeText({ size_bytes }: SnapshotShape): string {
  return `${(size_bytes / 1_000_000).toFixed(1)} MB`;
}
