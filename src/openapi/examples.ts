import file from '../../fixtures/openapi-examples.json' with { type: 'json' };
import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import type { Json } from './json-schema.ts';

/** A recorded call of a running sandbox. */
export interface ExampleCall {
  /** Names the example within its operation. */
  title: string;
  parameters?: Record<string, string | number>;
  body?: unknown;
  /** Content type of a body that is not JSON. */
  content_type?: string;
  status: number;
  answer: unknown;
}

/** A recorded delivery. */
export interface ExampleDelivery {
  body: unknown;
  /** Value of X-Service-Signature, signed with the secret of the registration. */
  signature: string;
}

/** All examples; `npm run docs` records them. */
export interface ExampleFile {
  /** Address of the sandbox that they were recorded with. */
  base_url: string;
  partner: Record<string, ExampleCall[]>;
  control: Record<string, ExampleCall[]>;
  /** Bodies of errors, by code; of a body that is too large, by its status 413. */
  errors: Record<string, unknown>;
  control_errors: Record<string, unknown>;
  webhooks: Record<string, ExampleDelivery>;
}

/** Returns the examples with the address of this sandbox. */
export function examplesAt(baseUrl: string): ExampleFile {
  const examples = file as ExampleFile;
  return JSON.parse(JSON.stringify(examples).replaceAll(examples.base_url, baseUrl)) as ExampleFile;
}

/** Returns the examples of a request or response body, by title. */
export function namedExamples(
  calls: readonly ExampleCall[] | undefined,
  shownOf: (call: ExampleCall) => unknown,
): Json {
  const shown = (calls ?? []).flatMap((call) => {
    const value = shownOf(call);
    return value === undefined ? [] : [[call.title, { value }] as const];
  });
  return Object.fromEntries(shown);
}

/** Returns a function that finds the example of an error. */
export function errorExample(errors: Record<string, unknown>) {
  return (code: ErrorCode, status: number): unknown =>
    errors[ERROR_STATUS[code] === status ? code : String(status)];
}
