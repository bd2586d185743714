import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { closed, type Document, type Operation } from './documents.ts';
import type { Exchange } from './exchange.ts';

/** An operation of an API. */
export interface Found {
  operation: Operation;
  /** JSON pointer to it. */
  pointer: string;
  api: Api;
}

/** A document with its schemas at hand. */
export interface Api {
  document: Document;
  routes: { method: string; pattern: RegExp; literal: number; found: Found }[];
  /** The schema at a pointer, compiled when it is first asked for; of what is answered nothing undocumented is let through. */
  schema(pointer: string, strict: boolean): ValidateFunction;
}

/** Only URIs are checked; times have a pattern. */
const FORMATS = { uri: /^https?:[!-~]+$/, 'date-time': true, date: true, int64: true } as const;

/** @param prefix of the paths that the document tells of */
export function openApi(document: Document, prefix: string): Api {
  const ajv = new Ajv2020({ strict: false, formats: FORMATS, validateSchema: false });
  ajv.addSchema(document, 'lenient');
  ajv.addSchema(closed(document), 'strict');
  const api: Api = {
    document,
    routes: [],
    schema(pointer, strict) {
      const found = ajv.getSchema(`${strict ? 'strict' : 'lenient'}#${pointer}`);
      if (!found) throw new Error(`there is no schema at ${pointer}`);
      return found;
    },
  };
  for (const [template, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const pattern = new RegExp(`^${prefix}${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      const pointer = `/paths/${escaped(template)}/${method}`;
      const literal = template.replaceAll(/\{\w+\}/g, '').length;
      const found = { operation, pointer, api };
      api.routes.push({ method: method.toUpperCase(), pattern, literal, found });
    }
  }
  // Of two paths that fit, the one with fewer parameters is meant.
  api.routes.sort((a, b) => b.literal - a.literal);
  return api;
}

export function findOperation(all: readonly Api[], { method, path }: Exchange): Found | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const routes = all.flatMap((api) => api.routes);
  return routes.find((each) => each.method === wanted && each.pattern.test(path))?.found;
}

/** A name as part of a JSON pointer in a reference. */
export function escaped(part: string): string {
  return part
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replaceAll('{', '%7B')
    .replaceAll('}', '%7D');
}
