import type { HeaderList } from './schema.ts';

export const REDACTED = '[redacted]';

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);
const SIGNATURE_HEADER = 'x-service-signature';
/** Minted secrets, wherever somebody may have put one. */
const MINTED_SECRET = /\bdms_(?:sandbox|live)_\w+/g;
/** Of checkout forms. */
const CARD_FIELDS = ['card_number', 'expiry', 'cvc'];

/** Takes out minted secrets, wherever they stand; that of the sender has been taken out before. */
export function redactText(text: string): string {
  return text.includes('dms_') ? text.replace(MINTED_SECRET, REDACTED) : text;
}

/** Headers in the order sent; of a signature only the beginning, which is enough to tell two apart. */
export function redactHeaders(headers: HeaderList): HeaderList {
  return headers.map(([name, value]) => {
    const lower = name.toLowerCase();
    if (SECRET_HEADERS.has(lower)) return [name, REDACTED];
    if (lower === SIGNATURE_HEADER) return [name, `${value.slice(0, 11)}… ${REDACTED}`];
    return [name, redactText(value)];
  });
}

/** A body that is JSON or a form, without what its members give away. */
export function redactBody(text: string): string {
  return redactText(redactMembers(text));
}

function redactMembers(text: string): string {
  if (/^\s*[[{]/.test(text)) return redactJson(text);
  if (CARD_FIELDS.some((field) => text.includes(`${field}=`))) return redactForm(text);
  return text;
}

/** The text word for word, unless a member is called `secret`. */
function redactJson(text: string): string {
  // A name may be spelled with escapes.
  if (!/secret|\\u/i.test(text)) return text;
  let found = false;
  try {
    const value: unknown = JSON.parse(text, (name, member: unknown) => {
      if (name !== 'secret') return member;
      found = true;
      return REDACTED;
    });
    return found ? JSON.stringify(value) : text;
  } catch {
    return `${REDACTED}: not JSON, and it may hold a secret`;
  }
}

function redactForm(text: string): string {
  const form = new URLSearchParams(text);
  for (const field of CARD_FIELDS) if (form.has(field)) form.set(field, REDACTED);
  return form.toString();
}
