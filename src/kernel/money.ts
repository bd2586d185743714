import { formatCount } from './count.ts';

const BASIS_POINTS = 10_000n;

/**
 * Returns the commission on one sale, rounded half up to a whole cent.
 * @param amountCents sale price in cents, a non-negative safe integer
 * @param basisPoints rate, 1500 is 15%
 */
export function commissionCents(amountCents: number, basisPoints: number): number {
  const scaled = BigInt(amountCents) * BigInt(basisPoints);
  return Number((scaled + BASIS_POINTS / 2n) / BASIS_POINTS);
}

/** Formats cents: 149900, 'USD' → "$1,499.00". Does not use `Intl`, which is slow to load. */
export function formatMoney(cents: number, currency: string): string {
  const sign = cents < 0 ? '-' : '';
  const whole = Math.floor(Math.abs(cents) / 100);
  const rest = Math.abs(cents) % 100;
  const amount = `${formatCount(whole)}.${String(rest).padStart(2, '0')}`;
  return currency === 'USD' ? `${sign}$${amount}` : `${sign}${amount} ${currency}`;
}
