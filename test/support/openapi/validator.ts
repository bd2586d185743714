import type { ValidateFunction } from 'ajv/dist/2020.js';
import { ERROR_CODES } from '../error-codes.ts';
import { type Api, escaped, type Found, findOperation, openApi } from './api.ts';
import { apis, type Operation, type Response } from './documents.ts';
import type { Exchange } from './exchange.ts';

/** Holds exchanges against the documents. Every schema is compiled once, when it is first needed. */
export interface Validator {
  /** What in an exchange the documents do not tell of, a line each. */
  violations(exchange: Exchange, allowance?: Allowance): string[];
  /** The same of the body of a webhook. */
  deliveryViolations(body: string): string[];
}

interface Allowance {
  /** Faults make any operation give any error. */
  faults?: boolean;
}

/** What a path that no operation has can be returned. */
const NOWHERE = [400, 401, 403, 404, 413];

export function createValidator(given = apis()): Validator {
  const all = given.map(({ document, prefix }) => openApi(document, prefix));
  return {
    violations(exchange, allowance = {}) {
      const found = findOperation(all, exchange);
      const problems = found
        ? againstOperation(found, exchange, allowance)
        : NOWHERE.includes(exchange.status)
          ? anErrorOfSome(exchange)
          : ['the documents know no such operation'];
      return problems.map(
        (each) => `${exchange.method} ${exchange.path} ${exchange.status}: ${each}`,
      );
    },
    deliveryViolations(body) {
      const { type } = JSON.parse(body) as { type: string };
      const api = all.find(({ document }) => document.webhooks?.[type]);
      if (!api) return [`there is no webhook ${type}`];
      const pointer = `/webhooks/${type}/post/requestBody/content/application~1json/schema`;
      return misfits(api.schema(pointer, true), body);
    },
  };
}

function againstOperation(found: Found, exchange: Exchange, { faults }: Allowance): string[] {
  const { api, operation, pointer } = found;
  const at = `${pointer}/responses/${exchange.status}`;
  const response = responseAt(api, operation, exchange.status, at);
  if (!response) {
    return faults ? anErrorOfSome(exchange) : ['the operation has no response of this status'];
  }
  const excused = faults && exchange.status >= 400;
  const problems = excused ? [] : ofResponse(api, response, exchange);
  const accepted = exchange.status < 300 && exchange.sent !== undefined;
  return accepted ? [...problems, ...ofRequest(found, exchange)] : problems;
}

interface Located {
  response: Response;
  pointer: string;
}

function responseAt(
  { document }: Api,
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

function ofResponse(api: Api, { response, pointer }: Located, exchange: Exchange): string[] {
  const { contentType, body, method, status, retryAfter } = exchange;
  const type = contentType?.split(';')[0] ?? '';
  const types = Object.keys(response.content ?? {});
  const problems: string[] = [];
  if (!types.includes(type)) {
    problems.push(`Content-Type is ${contentType}, documented is ${types.join(' or ')}`);
  } else if (type === 'application/json' && contentType !== type) {
    problems.push(`Content-Type is ${contentType}`);
  }
  if (status === 429 && !/^[1-9]\d*$/.test(retryAfter ?? '')) {
    problems.push(`Retry-After is ${retryAfter}`);
  }
  if (method === 'HEAD' || body === undefined || problems.length > 0) return problems;
  return misfits(api.schema(`${pointer}/content/${escaped(type)}/schema`, true), body);
}

/** A request that was accepted must be one that the document allows. */
function ofRequest({ api, operation, pointer }: Found, { sent = '' }: Exchange): string[] {
  if (!operation.requestBody?.content['application/json']) return [];
  const at = `${pointer}/requestBody/content/application~1json/schema`;
  return misfits(api.schema(at, false), sent).map((each) => `accepted request: ${each}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function misfits(fits: ValidateFunction, text: string): string[] {
  if (!isJson(text)) return [`no JSON: ${text.slice(0, 80)}`];
  if (fits(JSON.parse(text))) return [];
  return (fits.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`,
  );
}

function anErrorOfSome({ method, body, status }: Exchange): string[] {
  if (status < 400) return ['the operation has no response of this status'];
  if (method === 'HEAD' || body === undefined) return [];
  if (!isJson(body)) return [`no JSON: ${body.slice(0, 80)}`];
  const { error } = JSON.parse(body) as { error?: { code?: string } };
  return ERROR_CODES.includes(error?.code ?? '') ? [] : [`no error of the envelope: ${body}`];
}
