const BASIS_POINTS = 10_000n;

/**
 * Commission on one sale, rounded half up to a whole cent.
 * @param amountCents sale price in cents, a non-negative safe integer
 * @param basisPoints rate, 1500 is 15%
 * @returns whole cents
 */
export function commissionCents(amountCents: number, basisPoints: number): number {
  const scaled = BigInt(amountCents) * BigInt(basisPoints);
  return Number((scaled + BASIS_POINTS / 2n) / BASIS_POINTS);
}

/** Formats cents: 149900, 'USD' → "$1,499.00". Does not use `Intl`, which is slow to load. */
export function formatMoney(cents: number, currency: string): string {
  const sign = cents < 0 ? '-' : '';
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',');
  const amount = `${whole}.${digits.slice(-2)}`;
  return currency === 'USD' ? `${sign}$${amount}` : `${sign}${amount} ${currency}`;
}
