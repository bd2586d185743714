import { controlDocument } from '../../../src/openapi/control-document.ts';
import { partnerDocument } from '../../../src/openapi/partner-document.ts';
import { CONTROL_ENDPOINTS } from '../control-endpoints.ts';

export type Json = Record<string, unknown>;

export interface Response {
  content?: Record<string, { schema: Json; examples?: Record<string, { value: unknown }> }>;
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, Response | { $ref: string }>;
}

/** An OpenAPI document, as far as the tests look into it. */
export interface Document {
  info: Json;
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Json>; responses: Record<string, Response> };
}

export const BASE_URL = 'http://127.0.0.1:4010';

/** Both documents, and the paths under which what they tell of is found. */
export function apis(): { document: Document; prefix: string }[] {
  return [
    { document: partnerDocument(BASE_URL) as unknown as Document, prefix: '' },
    {
      document: controlDocument(BASE_URL, CONTROL_ENDPOINTS) as unknown as Document,
      prefix: '/_sandbox',
    },
  ];
}

/** A copy in which no object has a member that it does not declare. */
export function closed<T>(part: T): T {
  if (Array.isArray(part)) return part.map(closed) as T;
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, each]) => [name, closed(each)]));
  // `properties` may also be the name of a member, whose schema then has no type of its own.
  const isObject = copy.type === 'object' && typeof copy.properties === 'object';
  const open = isObject && copy.additionalProperties === undefined;
  return (open ? { ...copy, additionalProperties: false } : copy) as T;
}
