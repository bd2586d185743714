import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { ERROR_CODES } from '../error-codes.ts';
import { closed, type Document, doors, type Operation, type Response } from './documents.ts';
import type { Exchange } from './exchange.ts';

/** Holds exchanges against the documents. Every schema is compiled once, when it is first needed. */
export interface Validator {
  /** What in an exchange the documents do not tell of, a line each. */
  violations(exchange: Exchange, allowance?: Allowance): string[];
  /** The same of the body of a webhook. */
  deliveryViolations(body: string): string[];
}

export interface Allowance {
  /** Faults make any operation give any error. */
  anyError?: boolean;
}

interface Found {
  operation: Operation;
  /** JSON pointer to it. */
  pointer: string;
  door: Door;
}

interface Door {
  document: Document;
  routes: { method: string; pattern: RegExp; literal: number; found: Found }[];
  /** The schema at a pointer; of what is answered nothing undocumented is let through. */
  schema(pointer: string, strict: boolean): ValidateFunction;
}

/** What a path that no operation has can be answered with. */
const NOWHERE = [400, 401, 403, 404, 413];

export function createValidator(given = doors()): Validator {
  const all = given.map(({ document, prefix }) => openDoor(document, prefix));
  return {
    violations(exchange, allowance = {}) {
      const found = findOperation(all, exchange);
      const problems = found
        ? againstOperation(found, exchange, allowance)
        : againstNothing(exchange);
      return problems.map(
        (each) => `${exchange.method} ${exchange.path} ${exchange.status}: ${each}`,
      );
    },
    deliveryViolations(body) {
      const { type } = JSON.parse(body) as { type: string };
      const door = all.find(({ document }) => document.webhooks?.[type]);
      if (!door) return [`there is no webhook ${type}`];
      const pointer = `/webhooks/${type}/post/requestBody/content/application~1json/schema`;
      return misfits(door.schema(pointer, true), body);
    },
  };
}

function openDoor(document: Document, prefix: string): Door {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  ajv.addSchema(document, 'told');
  ajv.addSchema(closed(document), 'strict');
  const door: Door = {
    document,
    routes: [],
    schema(pointer, strict) {
      const found = ajv.getSchema(`${strict ? 'strict' : 'told'}#${pointer}`);
      if (!found) throw new Error(`there is no schema at ${pointer}`);
      return found;
    },
  };
  for (const [template, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const pattern = new RegExp(`^${prefix}${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      const pointer = `/paths/${escaped(template)}/${method}`;
      const literal = template.replaceAll(/\{\w+\}/g, '').length;
      const found = { operation, pointer, door };
      door.routes.push({ method: method.toUpperCase(), pattern, literal, found });
    }
  }
  // Of two paths that fit, the one with fewer parameters is meant.
  door.routes.sort((a, b) => b.literal - a.literal);
  return door;
}

function findOperation(all: readonly Door[], { method, path }: Exchange): Found | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const routes = all.flatMap((door) => door.routes);
  return routes.find((each) => each.method === wanted && each.pattern.test(path))?.found;
}

function againstOperation(found: Found, exchange: Exchange, { anyError }: Allowance): string[] {
  const { door, operation, pointer } = found;
  const at = `${pointer}/responses/${exchange.status}`;
  const response = responseAt(door, operation, exchange.status, at);
  if (!response) {
    return anyError ? anErrorOfSome(exchange) : ['the operation has no answer of this status'];
  }
  const problems = anyError && exchange.status >= 400 ? [] : ofAnswer(door, response, exchange);
  const accepted = exchange.status < 300 && exchange.sent !== undefined;
  return accepted ? [...problems, ...ofRequest(found, exchange)] : problems;
}

interface Located {
  response: Response;
  pointer: string;
}

function responseAt(
  { document }: Door,
  { responses }: Operation,
  status: number,
  pointer: string,
): Located | undefined {
  const own = responses[status];
  if (!own) return undefined;
  if (!('$ref' in own)) return { response: own, pointer };
  const name = own.$ref.replace('#/components/responses/', '');
  const shared = document.components.responses[name];
  return shared && { response: shared, pointer: `/components/responses/${name}` };
}

function ofAnswer(door: Door, { response, pointer }: Located, exchange: Exchange): string[] {
  const { contentType, body, method, status, retryAfter } = exchange;
  const type = contentType?.split(';')[0] ?? '';
  const told = Object.keys(response.content ?? {});
  const problems: string[] = [];
  if (!told.includes(type)) {
    problems.push(`Content-Type is ${contentType}, documented is ${told.join(' or ')}`);
  } else if (type === 'application/json' && contentType !== type) {
    problems.push(`Content-Type is ${contentType}`);
  }
  if (status === 429 && !/^[1-9]\d*$/.test(retryAfter ?? '')) {
    problems.push(`Retry-After is ${retryAfter}`);
  }
  if (method === 'HEAD' || body === undefined || problems.length > 0) return problems;
  return misfits(door.schema(`${pointer}/content/${escaped(type)}/schema`, true), body);
}

/** A request that was accepted must be one that the document allows. */
function ofRequest({ door, operation, pointer }: Found, { sent = '' }: Exchange): string[] {
  if (!operation.requestBody?.content['application/json']) return [];
  const at = `${pointer}/requestBody/content/application~1json/schema`;
  return misfits(door.schema(at, false), sent).map((each) => `accepted request: ${each}`);
}

function misfits(fits: ValidateFunction, text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [`no JSON: ${text.slice(0, 80)}`];
  }
  if (fits(value)) return [];
  return (fits.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`,
  );
}

function againstNothing(exchange: Exchange): string[] {
  if (!NOWHERE.includes(exchange.status)) return ['the documents know no such operation'];
  return anErrorOfSome(exchange);
}

function anErrorOfSome({ method, body = '', status }: Exchange): string[] {
  if (method === 'HEAD') return [];
  if (status < 400) return ['the operation has no answer of this status'];
  const { error } = JSON.parse(body) as { error?: { code?: string } };
  return ERROR_CODES.includes(error?.code ?? '') ? [] : [`no error of the envelope: ${body}`];
}

function escaped(part: string): string {
  return part
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replaceAll('{', '%7B')
    .replaceAll('}', '%7D');
}
