import type { RateClass } from '../store/schema/enums.ts';

/** Requests per minute and credential; null lifts the limit. */
export type RateLimits = Record<RateClass, number | null>;

/** Specification, "Limits"; `default` is our choice. */
export const SPECIFIED_RATE_LIMITS: RateLimits = {
  search: 60,
  write: 20,
  reporting: 30,
  default: 120,
};

export const NO_RATE_LIMITS: RateLimits = {
  search: null,
  write: null,
  reporting: null,
  default: null,
};

/** All limits of the specification, none, or other numbers for some classes. */
export type RateLimitChoice = boolean | Partial<RateLimits>;

export function rateLimitsOf(choice: RateLimitChoice): RateLimits {
  if (choice === false) return NO_RATE_LIMITS;
  return { ...SPECIFIED_RATE_LIMITS, ...(choice === true ? {} : choice) };
}
