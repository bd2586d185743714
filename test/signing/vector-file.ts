import { readFileSync } from 'node:fs';

/** A vector of fixtures/signature-vectors.json; fixtures/README.md describes the format. */
export interface Vector {
  name: string;
  description: string;
  key_id: string;
  secret: string;
  request: {
    method: string;
    target: string;
    timestamp: string;
    nonce: string;
    body?: string;
    body_base64?: string;
  };
  expected?: Expected;
  error?: 'malformed_query';
}

export interface Expected {
  body_sha256: string;
  canonical_query: string;
  canonical_string: string;
  signature: string;
}

export interface WebhookCase {
  name: string;
  secret: string;
  body: string;
  signature: string;
  valid: boolean;
}

interface VectorFile {
  vectors: Vector[];
  webhooks: WebhookCase[];
}

const vectorFilePath = new URL('../../fixtures/signature-vectors.json', import.meta.url);

export const vectorFile: VectorFile = JSON.parse(readFileSync(vectorFilePath, 'utf8'));

export const wellFormed = vectorFile.vectors.filter(
  (vector): vector is Vector & { expected: Expected } => vector.expected !== undefined,
);

export const malformed = vectorFile.vectors.filter(({ error }) => error === 'malformed_query');

export function bodyOf({ request }: Vector): Buffer {
  if (request.body_base64 !== undefined) return Buffer.from(request.body_base64, 'base64');
  return Buffer.from(request.body ?? '');
}

export function vectorNamed(name: string): Vector & { expected: Expected } {
  const found = wellFormed.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`no vector is called ${name}`);
  return found;
}
