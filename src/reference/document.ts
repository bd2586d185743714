import type { OpenApiDocument } from '../control/endpoint.ts';

/** The parts of an OpenAPI 3.1 document that the reference shows, without references. */
export interface Document {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  'x-scopes'?: string[];
  'x-rate-class'?: string;
  'x-affiliate'?: boolean;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, ResponseObject>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
  'x-emulator-choice'?: boolean;
}

export interface ResponseObject {
  description: string;
  content?: Content;
  'x-emulator-choice'?: boolean;
}

export type Content = Record<
  string,
  { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
>;

export interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  additionalProperties?: unknown;
  'x-emulator-choice'?: boolean;
}

export interface PlacedOperation {
  method: string;
  path: string;
  operation: Operation;
}

function operationsOf({ paths }: Document): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

export interface Group {
  id: string;
  name: string;
  description: string;
  operations: PlacedOperation[];
}

export function groupsOf(document: Document): Group[] {
  const operations = operationsOf(document);
  return document.tags.map(({ name, description }) => ({
    // `Settlement, history, refunds` → `settlement-history-refunds`.
    id: name.toLowerCase().replace(/[^a-z]+/g, '-'),
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** Reads a built document: references are replaced by what they name, with the keywords beside them. */
export function readDocument(built: OpenApiDocument): Document {
  const read = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(read);
    const { $ref, ...keywords } = value as Record<string, unknown>;
    const entries = Object.entries(keywords).map(([name, value]) => [name, read(value)]);
    return { ...(typeof $ref === 'string' && resolve($ref)), ...Object.fromEntries(entries) };
  };
  // `#/components/schemas/Order`.
  const resolve = (ref: string) => {
    const [, , kind = '', name = ''] = ref.split('/');
    return read((built.components[kind] as Record<string, unknown>)[name]) as object;
  };
  return read(built) as Document;
}
