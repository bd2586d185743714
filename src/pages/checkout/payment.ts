import { emailAddress } from '../../http/fields.ts';
import { checkCard } from '../../kernel/test-cards.ts';
import type { Buyer } from '../../market/checkout/pay-session.ts';
import { isCountry } from './countries.ts';

export const FIELDS = ['email', 'name', 'country', 'card_number', 'expiry', 'cvc'] as const;
type Field = (typeof FIELDS)[number];

/** The fields as a buyer typed them, with normalized spaces. */
export type Payment = Record<Field, string>;
/** Messages by field. */
export type Problems = Partial<Record<Field, string>>;

const MAX_NAME = 200;

export function readPayment(form: URLSearchParams): Payment {
  const entries = FIELDS.map((field) => [field, normalizeSpaces(form.get(field) ?? '')]);
  return Object.fromEntries(entries) as Payment;
}

/** Validates the form; the expiry date against sandbox time (Unix ms). */
export function findProblems(payment: Payment, now: number): Problems {
  const problems: Record<Field, string | undefined> = {
    email: emailProblem(payment.email),
    name: nameProblem(payment.name),
    country: isCountry(payment.country) ? undefined : 'Choose your country.',
    card_number: cardProblem(payment.card_number),
    expiry: expiryProblem(payment.expiry, now),
    cvc: /^\d{3,4}$/.test(payment.cvc)
      ? undefined
      : 'Enter the 3 or 4 digits of the security code.',
  };
  return Object.fromEntries(
    Object.entries(problems).filter(([, problem]) => problem !== undefined),
  );
}

export function declineReason(cardNumber: string): string | undefined {
  switch (checkCard(cardNumber)) {
    case 'paid':
      return undefined;
    case 'declined':
      return 'Your card was declined. You have not been charged. Try another card.';
    default:
      return 'Your card was declined: it is not a test card. Use 4242 4242 4242 4242.';
  }
}

export function buyerOf({ email, name, country }: Payment): Buyer {
  return { email, name, country };
}

function emailProblem(email: string): string | undefined {
  if (email === '') return 'Enter your email address.';
  if (emailAddress().safeParse(email).success) return undefined;
  return 'Enter an email address like name@example.com.';
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'Enter your name.';
  return name.length > MAX_NAME ? `Enter a name of at most ${MAX_NAME} characters.` : undefined;
}

function cardProblem(number: string): string | undefined {
  if (number === '') return 'Enter your card number.';
  return checkCard(number) === 'invalid'
    ? 'This card number is not valid. Check it for typos.'
    : undefined;
}

/**
 * Validates an expiry date: "08/27", "0827", "8 / 2027". A card is valid to the end of its month.
 * @param now sandbox time, Unix ms
 */
export function expiryProblem(typed: string, now: number): string | undefined {
  const [, monthText = '', yearText = ''] =
    /^(\d{1,2}) ?[/-] ?(\d{4}|\d{2})$/.exec(typed) ?? /^(\d{2})(\d{4}|\d{2})$/.exec(typed) ?? [];
  const month = Number(monthText);
  if (month < 1 || month > 12) return 'Enter the expiry date like 08/34.';
  const today = new Date(now);
  const year = yearText.length === 2 ? 2000 + Number(yearText) : Number(yearText);
  const past = year * 12 + month < today.getUTCFullYear() * 12 + today.getUTCMonth() + 1;
  return past ? 'This card has expired.' : undefined;
}

/** Leaves one space where there are several, or control characters, and none around. */
function normalizeSpaces(typed: string): string {
  return typed.replace(/[\p{Zs}\p{Cc}]+/gu, ' ').trim();
}
