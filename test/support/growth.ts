/** Between 16, which is linear time on an idle machine, and 256, which is quadratic. */
export const MAX_GROWTH = 64;

/** Returns how many times longer `run` takes for a size that is 16 times as large. */
export function growthOf(run: (size: number) => void, size: number): number {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // The shortest run counts, since a test machine may be busy.
  for (let n = 0; n < 5; n += 1) {
    small = Math.min(small, timeOf(run, size));
    large = Math.min(large, timeOf(run, size * 16));
    if (large / small < MAX_GROWTH / 2) break;
  }
  return large / small;
}

function timeOf(run: (size: number) => void, size: number): number {
  const begun = performance.now();
  run(size);
  return performance.now() - begun;
}
