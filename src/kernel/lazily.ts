/** Returns a function that calls `make` once, on first use, and then returns the same value. */
export function lazily<T>(make: () => T): () => T {
  let made: { it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

/** As `lazily`, but a failure is not cached: the next call tries again. */
export function lazilyAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    if (made) return made;
    const attempt = make();
    made = attempt;
    attempt.catch(() => {
      if (made === attempt) made = undefined;
    });
    return attempt;
  };
}
