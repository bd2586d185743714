type CardResult = 'paid' | 'declined' | 'unknown' | 'invalid';

const TEST_CARDS = [
  { number: '4242 4242 4242 4242', result: 'paid' },
  { number: '4000 0000 0000 0002', result: 'declined' },
] as const satisfies readonly { number: string; result: CardResult }[];

/**
 * Checks a card number; spaces and dashes are ignored.
 * @returns `invalid` if the Luhn check fails, `unknown` for a number that is not a test card
 */
export function checkCard(text: string): CardResult {
  const number = text.replace(/[\s-]/g, '');
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) return 'invalid';
  const card = TEST_CARDS.find((testCard) => testCard.number.replaceAll(' ', '') === number);
  return card?.result ?? 'unknown';
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
