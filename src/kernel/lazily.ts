/** Returns a function that calls `make` once, on first use, and then returns the same value. */
export function lazily<T>(make: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}

/** As `lazily`, but a failure is not cached: the next call tries again. */
export function lazilyAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined;
  return () => {
    if (cached) return cached;
    const attempt = make();
    cached = attempt;
    attempt.catch(() => {
      if (cached === attempt) cached = undefined;
    });
    return attempt;
  };
}
