/** Specification, "Limits". `default` is everything that it gives no limit for. */
export const RATE_CLASSES = ['search', 'write', 'reporting', 'default'] as const;

export type RateClass = (typeof RATE_CLASSES)[number];
