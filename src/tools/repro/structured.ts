import { isUtf8 } from 'node:buffer';
import { isSecretName } from './text-search.ts';

/** Where a value is in a JSON document or a form. */
export interface Field {
  /** Name of the field, or of the one whose list contains the value; empty at the top. */
  name: string;
  /** Name of the field whose object contains this one. */
  parent: string;
  /** Whether the name of this field, or of one around it, contains `secret`. */
  isSecret: boolean;
}

/** Returns the value, or another one in its place. */
export type MapValue = (value: string, field: Field) => string;

interface Container {
  name: string;
  isSecret: boolean;
  isList: boolean;
}

/** The note in place of a body that was left out before. */
const NOTE = /^[ ("{]*\d+ bytes left out[ )"!\xff]*$/;
const TOKENS = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

export function isJson(text: string): boolean {
  return problemOf(text) === undefined;
}

/** Returns why a body cannot be parsed as JSON; undefined if it can. */
function problemOf(body: string): string | undefined {
  try {
    JSON.parse(body);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/**
 * Maps the texts in a JSON document. Everything else stays the same, byte for byte, except the digits of secret
 * numbers.
 * @param root whether the whole document is secret
 * @returns undefined for text that is not JSON
 */
export function mapJson(
  json: string,
  map: MapValue,
  root: Pick<Field, 'isSecret'> = { isSecret: false },
): string | undefined {
  if (!isJson(json)) return undefined;
  const open: Container[] = [];
  let around: Container = { name: '', isSecret: root.isSecret, isList: true };
  let { name, isSecret } = around;
  let isName = false;
  return json.replace(TOKENS, (token) => {
    switch (token) {
      case '{':
      case '[':
        open.push(around);
        around = { name, isSecret, isList: token === '[' };
        isName = token === '{';
        return token;
      case '}':
      case ']':
        around = open.pop() ?? around;
        return token;
      case ',':
        ({ name, isSecret } = around);
        isName = !around.isList;
        return token;
      case ':':
        isName = false;
        return token;
    }
    if (!token.startsWith('"')) return isSecret ? token.replace(/\d/g, '1') : token;
    const text = token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1);
    if (isName) {
      name = text;
      isSecret = around.isSecret || isSecretName(name);
      return token;
    }
    const parent = around.isList ? (open.at(-1)?.name ?? '') : around.name;
    const mapped = map(text, { name, parent, isSecret });
    return mapped === text ? token : JSON.stringify(mapped);
  });
}

/** Maps the values of a form or a query. Those that stay keep their spelling. */
export function mapForm(form: string, map: MapValue): string {
  return form
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 0) return pair;
      const [name, value] = [decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))];
      const mapped = map(value, { name, parent: '', isSecret: isSecretName(name) });
      return mapped === value ? pair : pair.slice(0, equals + 1) + encoded(mapped);
    })
    .join('&');
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+');
}

/** Decodes a name or value of a form; returns it unchanged if its escapes are malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/**
 * Returns a note in place of a body that cannot be parsed. Parsing the note fails with the same message and position,
 * so a replay gets the same response.
 */
export function omitted(body: Buffer): Buffer {
  if (NOTE.test(body.toString('latin1'))) return body;
  const note = `"${body.length} bytes left out"`;
  if (!isUtf8(body)) return Buffer.concat([Buffer.from(note), Buffer.of(0xff)]);
  const [, position] = /position (\d+)/.exec(problemOf(body.toString()) ?? '') ?? [];
  const at = Number(position);
  if (position === undefined) return Buffer.from(`(${note})`);
  return Buffer.from(
    at < note.length ? `${'{'.padStart(at)}${note.slice(1, -1)}` : `${note.padEnd(at)}!`,
  );
}
