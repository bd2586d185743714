import file from '../../fixtures/openapi-examples.json' with { type: 'json' };
import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import type { Json } from './json-schema.ts';

/** A call that was made of a running sandbox, and what it answered. */
export interface ExampleCall {
  /** What it shows, in a word or two; names it among the examples of its operation. */
  title: string;
  parameters?: Record<string, string | number>;
  body?: unknown;
  /** Content type of a body that is no JSON. */
  content_type?: string;
  status: number;
  answer: unknown;
}

/** A webhook as it was delivered. */
export interface ExampleDelivery {
  body: unknown;
  /** Value of X-Service-Signature, made with the secret of the registration. */
  signature: string;
}

/** All examples, made by running code: `npm run docs` writes them anew. */
export interface ExampleFile {
  /** Address of the sandbox that they were made with. */
  base_url: string;
  partner: Record<string, ExampleCall[]>;
  control: Record<string, ExampleCall[]>;
  /** Bodies of errors by their code; that of a body too large under its status, 413. */
  errors: Record<string, unknown>;
  control_errors: Record<string, unknown>;
  webhooks: Record<string, ExampleDelivery>;
}

/** The examples as a sandbox at this address would give them. */
export function examplesAt(baseUrl: string): ExampleFile {
  const told: ExampleFile = file as ExampleFile;
  return JSON.parse(JSON.stringify(told).replaceAll(told.base_url, baseUrl)) as ExampleFile;
}

/** Examples of one side of an operation, by their titles. */
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

/** Finds the example of an error answer. */
export function errorExample(errors: Record<string, unknown>) {
  return (code: ErrorCode, status: number): unknown =>
    errors[ERROR_STATUS[code] === status ? code : String(status)];
}
