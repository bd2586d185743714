/** Returns a function that calls `make` on first use, and then returns the same value. What `make` throws is not kept. */
export function lazily<T>(make: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}

/** As `lazily`, for a promise. One that rejects is not kept either: the next call tries again. */
export function lazilyAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined;
  return () => {
    if (cached) return cached;
    cached = make();
    cached.catch(() => {
      cached = undefined;
    });
    return cached;
  };
}
