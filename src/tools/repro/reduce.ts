/** Whether the problem is still there with only these; an aborted search answers no. */
export type Test<T> = (kept: readonly T[]) => Promise<boolean>;

/** Returns the items without the longest beginning, found by bisection, that the test does not need. */
export async function withoutBeginning<T>(items: readonly T[], test: Test<T>): Promise<T[]> {
  let kept = [...items];
  for (let size = items.length; size >= 1; size = Math.floor(size / 2)) {
    while (kept.length >= size && (await test(kept.slice(size)))) kept = kept.slice(size);
  }
  return kept;
}

/** Removes chunks, from half of the items down to single ones, until no item can go (ddmin). */
export async function withoutChunks<T>(items: readonly T[], test: Test<T>): Promise<T[]> {
  let kept = [...items];
  let size = Math.ceil(kept.length / 2);
  while (kept.length > 0) {
    const before = kept.length;
    // From the end: what comes later depends on what is earlier.
    for (let end = kept.length; end > 0; end -= size) {
      const fewer = [...kept.slice(0, Math.max(0, end - size)), ...kept.slice(end)];
      if (await test(fewer)) kept = fewer;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (kept.length === before) return kept;
  }
  return kept;
}
