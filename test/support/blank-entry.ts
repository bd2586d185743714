import type { RawEntry } from '../../src/requests/log-entry.ts';

/** An entry of the request log, for tests in which nothing reads it. */
export const BLANK_ENTRY: RawEntry = {
  api: 'partner',
  at: 0,
  receivedAt: 0,
  durationUs: 0,
  keyId: null,
  partnerId: null,
  method: 'GET',
  target: '/',
  endpoint: null,
  status: null,
  code: null,
  fault: null,
  head: '{}',
  headers: '[]',
  body: '',
  response: '',
};
