/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface Document {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, ResponseObject> };
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
  responses: Record<string, ResponseObject | Reference>;
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

interface Reference {
  $ref: string;
}

export interface Schema {
  $ref?: string;
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

/** Follows the reference of a schema, and keeps the keywords beside it. */
export function resolve(document: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  return { ...document.components.schemas[nameOf($ref)], ...beside };
}

export function responseOf(
  document: Document,
  response: ResponseObject | Reference,
): ResponseObject {
  if (!('$ref' in response)) return response;
  return document.components.responses[nameOf(response.$ref)] ?? { description: '' };
}

/** `#/components/schemas/Order` → `Order`. */
export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}
