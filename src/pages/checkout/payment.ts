import { emailAddress } from '../../http/fields.ts';
import { checkCard } from '../../kernel/test-cards.ts';
import { isCountry } from './countries.ts';

/** In the order of the form, so that the first with a problem gets the focus. */
export const FIELDS = ['email', 'name', 'country', 'card_number', 'expiry', 'cvc'] as const;
type Field = (typeof FIELDS)[number];

/** The fields as a buyer typed them, with normalized spaces. */
export type Payment = Record<Field, string>;
/** Messages by field. */
export type Problems = Partial<Record<Field, string>>;

/** Whether a field is valid, and what the buyer reads if it is not. Test cards do not expire. */
const RULES: Record<Field, readonly [isValid: (text: string) => boolean, problem: string]> = {
  email: [
    (text) => emailAddress().safeParse(text).success,
    'Enter an email address like name@example.com.',
  ],
  name: [(text) => /^\P{Cc}{1,200}$/u.test(text), 'Enter your name, in at most 200 characters.'],
  country: [isCountry, 'Choose your country.'],
  card_number: [
    (text) => checkCard(text) !== 'invalid',
    'This card number is not valid. Check it for typos.',
  ],
  expiry: [
    (text) => /^(0?[1-9]|1[0-2]) ?[/-]? ?\d{2}(\d{2})?$/.test(text),
    'Enter the expiry date like 08/34.',
  ],
  cvc: [(text) => /^\d{3,4}$/.test(text), 'Enter the 3 or 4 digits of the security code.'],
};

export function readPayment(form: URLSearchParams): Payment {
  const entries = FIELDS.map((field) => [field, normalizeSpaces(form.get(field) ?? '')]);
  return Object.fromEntries(entries) as Payment;
}

export function findProblems(payment: Payment): Problems {
  const rules = FIELDS.map((field) => [field, RULES[field]] as const);
  const broken = rules.filter(([field, [isValid]]) => !isValid(payment[field]));
  return Object.fromEntries(broken.map(([field, [, problem]]) => [field, problem]));
}

/** Returns why a valid card is declined. */
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

/** Trims, and makes each run of Unicode separators one space. Control characters stay, and are invalid. */
function normalizeSpaces(typed: string): string {
  return typed.replace(/[\p{Z}\uFEFF]+/gu, ' ').replace(/^ | $/g, '');
}
