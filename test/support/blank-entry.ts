import type { RawEntry } from '../../src/requests/log-entry.ts';
import type { Message } from '../../src/requests/message.ts';

export const EMPTY_MESSAGE: Message = {
  headers: [],
  body: null,
  bytes: 0,
  encoding: 'utf8',
  altered: null,
};

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
  request: EMPTY_MESSAGE,
  response: EMPTY_MESSAGE,
  bodyRejection: null,
  startedMs: 0,
  environment: null,
  bodySha256: null,
  signedString: null,
  runs: [],
  steps: [],
};
