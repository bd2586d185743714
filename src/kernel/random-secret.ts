import { randomBytes } from 'node:crypto';
import { base62From } from './ids.ts';

/** Returns base62 characters from the random source of the system. */
export function randomSecret(length = 32): string {
  return base62From(randomBytes(48).toString('base64'), length);
}
