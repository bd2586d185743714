import file from '../../fixtures/openapi-examples.json' with { type: 'json' };
import type { Json } from './json-schema.ts';

export interface ExampleCall {
  title: string;
  parameters?: Record<string, string | number>;
  body?: unknown;
  response: unknown;
}

export interface ExampleDelivery {
  body: unknown;
  /** Value of X-Service-Signature, signed with the secret of the registration. */
  signature: string;
}

/** Examples of the partner API; `npm run docs` records them. */
export interface ExampleFile {
  base_url: string;
  /** By the name of the endpoint. */
  calls: Record<string, ExampleCall[]>;
  /** Bodies of errors, by code; of a body that is too large, by its status 413. */
  errors: Record<string, unknown>;
  webhooks: Record<string, ExampleDelivery>;
}

export function examplesAt(baseUrl: string): ExampleFile {
  const examples: ExampleFile = file;
  return JSON.parse(JSON.stringify(examples).replaceAll(examples.base_url, baseUrl)) as ExampleFile;
}

/** Returns the examples that have a value, by name. */
export function namedExamples(examples: readonly [name: string, value: unknown][]): Json {
  const existing = examples.filter(([, value]) => value !== undefined);
  return Object.fromEntries(existing.map(([name, value]) => [name, { value }]));
}
