import type { Span } from './emails.ts';

/** A JSON string; it may have no end in a broken body. */
const STRING = '"((?:[^"\\\\]|\\\\.)*)';
const BUYER_FIELDS = /"buyer"\s*:\s*\{[^{}]*/g;
const NAME_FIELD = new RegExp(`"name"\\s*:\\s*${STRING}`, 'g');
const BUYER_NAME_FIELD = new RegExp(`"buyer_name"\\s*:\\s*${STRING}`, 'g');
const EMAIL_FIELD = new RegExp(`"(?:buyer_)?email"\\s*:\\s*${STRING}`, 'g');
const URL_FIELD = new RegExp(`"url"\\s*:\\s*${STRING}`, 'g');
const KEY_FIELD = new RegExp(`"key_id"\\s*:\\s*${STRING}`, 'g');

/** Where the value of a JSON field is, and the value without escapes. */
interface Field extends Span {
  value: string;
}

export function emailsIn(text: string): string[] {
  return valuesIn(text, EMAIL_FIELD).filter((value) => value.includes('@'));
}

export function urlsIn(text: string): string[] {
  return valuesIn(text, URL_FIELD);
}

export function keyIdsIn(text: string): string[] {
  return valuesIn(text, KEY_FIELD);
}

function valuesIn(text: string, pattern: RegExp): string[] {
  return fieldsOf(text, pattern).map(({ value }) => value);
}

/** Finds buyers' names in JSON, also if it is broken. */
export function namesIn(text: string): Field[] {
  if (!text.includes('"buyer')) return [];
  const inBuyers = [...text.matchAll(BUYER_FIELDS)].flatMap(({ 0: fields, index }) =>
    fieldsOf(fields, NAME_FIELD).map(({ from, to, value }) => ({
      from: from + index,
      to: to + index,
      value,
    })),
  );
  return [...inBuyers, ...fieldsOf(text, BUYER_NAME_FIELD)];
}

function unquoted(escaped: string): string {
  try {
    return String(JSON.parse(`"${escaped}"`));
  } catch {
    return escaped;
  }
}

function fieldsOf(text: string, pattern: RegExp): Field[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: found, 1: value = '', index }) => {
    const to = index + found.length;
    return value === '' ? [] : [{ from: to - value.length, to, value: unquoted(value) }];
  });
}

/** Whether a name is replaced in all texts, and not only where a field says that it is a name. */
export function isDistinctiveName(name: string): boolean {
  if (/\s/.test(name)) return name.length >= 6;
  return /\p{Lu}/u.test(name) && /\p{Ll}/u.test(name) && name.length >= 5;
}
