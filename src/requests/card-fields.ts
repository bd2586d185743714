import { checkCard, otherCardDigits } from '../kernel/test-cards.ts';
import type { Rewrite } from './secret-fields.ts';

/** How the fields of a checkout form are rewritten that must not be kept. Test cards are public. */
export const CARD_FIELDS: Readonly<Record<string, Rewrite>> = {
  card_number: (value, _length, spelled) => {
    const result = checkCard(value);
    if (result === 'paid' || result === 'declined') return spelled;
    return withDigits(spelled, otherCardDigits(value.replace(/\D/g, '')));
  },
  cvc: (_value, _length, spelled) => withDigits(spelled, ''),
};

/** Replaces the digits of a value of a form, escaped ones too; by 0 where there is none to put in. */
function withDigits(spelled: string, digits: string): string {
  let at = 0;
  return spelled.replace(/%3[0-9]|%[0-9a-f]{2}|\d/gi, (found) => {
    if (!/^(?:%3)?[0-9]$/i.test(found)) return found;
    const digit = digits[at] ?? '0';
    at += 1;
    return found.slice(0, -1) + digit;
  });
}
