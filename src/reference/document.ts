/** As much of an OpenAPI 3.1 document as its pages show. */
export interface Document {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> };
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
  responses: Record<string, Answer | Reference>;
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

export interface Answer {
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

/** An operation with where it is found. */
export interface Placed {
  method: string;
  path: string;
  operation: Operation;
}

/** Operations in the order of the document. */
export function operationsOf({ paths }: Document): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

/** What a schema refers to, with what stands beside the reference. */
export function resolved(document: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  return { ...document.components.schemas[nameOf($ref)], ...beside };
}

export function answerOf(document: Document, answer: Answer | Reference): Answer {
  if (!('$ref' in answer)) return answer;
  return document.components.responses[nameOf(answer.$ref)] ?? { description: '' };
}

/** `#/components/schemas/Order` is `Order`. */
export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}
