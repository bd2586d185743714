/** What comes of a card on the hosted page (decisions, "Marketplace-collected sales"). */
export type CardVerdict = 'paid' | 'declined' | 'unknown' | 'invalid';

const PAYS = '4242424242424242';
const DECLINED = '4000000000000002';

/**
 * Judges a card number; spaces and dashes are ignored.
 * @returns `invalid` for what no card can be (the Luhn check fails), `unknown` for what is no test card
 */
export function judgeCard(text: string): CardVerdict {
  const number = text.replace(/[\s-]/g, '');
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) return 'invalid';
  if (number === PAYS) return 'paid';
  return number === DECLINED ? 'declined' : 'unknown';
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
