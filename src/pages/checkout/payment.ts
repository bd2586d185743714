import { emailAddress, text } from '../../http/fields.ts';
import type { Buyer } from '../../market/checkout/pay-session.ts';
import { checkCard } from '../../market/checkout/test-cards.ts';
import { isCountry } from './countries.ts';
import { expiryProblem } from './expiry.ts';

/** The fields of the form, in the order in which they stand there. */
export const FIELDS = ['email', 'name', 'country', 'card_number', 'expiry', 'cvc'] as const;
export type Field = (typeof FIELDS)[number];

/** What a buyer typed, whitespace tidied. */
export type Payment = Record<Field, string>;
export type Problems = Partial<Record<Field, string>>;

const MAX_NAME = 200;

export function readPayment(form: URLSearchParams): Payment {
  const typed = (field: Field) => tidy(form.get(field) ?? '');
  return {
    email: typed('email'),
    name: typed('name'),
    country: typed('country'),
    card_number: typed('card_number'),
    expiry: typed('expiry'),
    cvc: typed('cvc'),
  };
}

/** What is wrong with what was typed, by field; expiry dates are held against sandbox time (Unix ms). */
export function problemsOf(payment: Payment, now: number): Problems {
  const problems: { [field in Field]: string | undefined } = {
    email: emailProblem(payment.email),
    name: nameProblem(payment.name),
    country: isCountry(payment.country) ? undefined : 'Choose your country.',
    card_number: cardProblem(payment.card_number),
    expiry: expiryProblem(payment.expiry, now),
    cvc: /^\d{3,4}$/.test(payment.cvc)
      ? undefined
      : 'Enter the 3 or 4 digits of the security code.',
  };
  const found = FIELDS.flatMap((field) => {
    const isText = text().safeParse(payment[field]).success;
    const problem = isText ? problems[field] : 'Remove line breaks and other control characters.';
    return problem === undefined ? [] : [[field, problem] as const];
  });
  return Object.fromEntries(found);
}

/** Why a card that can be one does not pay; undefined when it does. */
export function rejectionOf(cardNumber: string): string | undefined {
  switch (checkCard(cardNumber)) {
    case 'paid':
      return undefined;
    case 'declined':
      return 'Your card was declined. Nothing was charged. Try another card.';
    default:
      return 'Your card was declined: it is no test card of this sandbox. 4242 4242 4242 4242 pays.';
  }
}

export function buyerOf({ email, name, country }: Payment): Buyer {
  return { email, name, country };
}

function emailProblem(email: string): string | undefined {
  if (email === '') return 'Enter your e-mail address.';
  if (emailAddress().safeParse(email).success) return undefined;
  return 'Enter an e-mail address like name@example.com.';
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'Enter your name.';
  return name.length > MAX_NAME ? `Enter a name of at most ${MAX_NAME} characters.` : undefined;
}

function cardProblem(number: string): string | undefined {
  if (number === '') return 'Enter your card number.';
  return checkCard(number) === 'invalid'
    ? 'This card number is not valid. Check it for a typing error.'
    : undefined;
}

/** One space where there are several, none around; control characters stay, for the checks to find. */
function tidy(typed: string): string {
  return typed.replace(/\p{Zs}+/gu, ' ').replace(/^ | $/g, '');
}
