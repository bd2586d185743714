import { randomBytes } from 'node:crypto';
import { base62From } from './ids.ts';

/** Base62 characters from the system's random source. */
export function randomSecret(length = 32): string {
  return base62From(randomBytes(48).toString('base64'), length);
}
