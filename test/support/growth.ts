/** Between 1, which is linear time, and 16, which is quadratic. */
export const MAX_GROWTH = 4;

/**
 * Returns how many times more processor time `run` takes for a size that is 16 times as large than for the same work in
 * 16 parts. Both take about as long, so a busy test machine slows them alike.
 */
export function growthOf(run: (size: number) => void, size: number): number {
  const parts = () => {
    for (let n = 0; n < 16; n += 1) run(size);
  };
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // The shortest run counts: the first ones also compile.
  for (let n = 0; n < 5; n += 1) {
    small = Math.min(small, timeOf(parts));
    large = Math.min(
      large,
      timeOf(() => run(size * 16)),
    );
    if (large / small < MAX_GROWTH / 2) break;
  }
  return large / small;
}

function timeOf(run: () => void): number {
  const begun = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begun);
  return Math.max(1, user + system);
}
