import type { RawEntry } from '../../src/requests/log-entry.ts';

/** An entry of the request log, for tests in which nothing reads it. */
export const BLANK_ENTRY: RawEntry = {
  columns: {
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
  },
  head: {
    bodyRejection: null,
    startedMs: 0,
    environment: null,
    body: { bytes: 0, encoding: 'utf8', altered: null },
    bodySha256: null,
    responseHeaders: [],
    response: null,
    steps: [],
    signedString: null,
  },
  headers: [],
  body: '',
  response: '',
  runs: [],
};
