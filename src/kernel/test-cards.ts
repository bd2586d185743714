type CardResult = 'paid' | 'declined' | 'unknown' | 'invalid';

const TEST_CARDS: ReadonlyMap<string, CardResult> = new Map([
  ['4242424242424242', 'paid'],
  ['4000000000000002', 'declined'],
]);

/**
 * Checks a card number; spaces and dashes are ignored.
 * @returns `invalid` if the Luhn check fails, `unknown` for a number that is not a test card
 */
export function checkCard(text: string): CardResult {
  const number = text.replace(/[\s-]/g, '');
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) return 'invalid';
  return TEST_CARDS.get(number) ?? 'unknown';
}

function passesLuhn(number: string): boolean {
  let sum = 0;
  for (let place = 1; place <= number.length; place += 1) {
    const digit = Number(number.at(-place));
    const doubled = place % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
