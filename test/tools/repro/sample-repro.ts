import { NO_RATE_LIMITS } from '../../../src/http/rate-limits.ts';
import type { Message } from '../../../src/requests/message.ts';
import { SCHEMA_VERSION } from '../../../src/store/create-tables.ts';
import type { Repro, RequestRecord } from '../../../src/tools/repro/format.ts';
import { VERSION } from '../../../src/version.ts';

const AT = Date.parse('2026-03-02T09:00:00.000Z');

/** A message with a text, or bytes in base64. */
export function message(body: string | Buffer | null, headers: Message['headers'] = []): Message {
  const encoding = typeof body === 'string' ? 'utf8' : 'base64';
  const text = typeof body === 'string' ? body : (body?.toString('base64') ?? null);
  return { headers, body: text, bytes: Buffer.byteLength(body ?? ''), encoding, altered: null };
}

export function sampleRequest(n: number, fields: Partial<RequestRecord> = {}): RequestRecord {
  return {
    kind: 'request',
    n,
    requestId: `req_${n}`,
    at: AT + n,
    receivedAt: AT + n,
    runs: [{ n, at: AT + n, now: AT + n }],
    api: 'partner',
    method: 'POST',
    target: '/api/partner/v1/quotes',
    endpoint: '/api/partner/v1/quotes',
    keyId: 'dmk_sandbox_local',
    partnerId: 'ptr_local',
    environment: 'SANDBOX',
    request: message('{"domain":"a.test"}', [['X-Service-Key-Id', 'dmk_sandbox_local']]),
    bodyRejection: null,
    start: { at: AT, baseUrl: 'http://127.0.0.1:4010', rateLimits: NO_RATE_LIMITS },
    status: 201,
    code: null,
    response: message('{"quote_id":"q"}'),
    trace: [{ check: 'signature', result: 'passed' }],
    ...fields,
  };
}

/** A small valid repro of the last request. */
export function sampleRepro(requests: RequestRecord[] = [sampleRequest(1)]): Repro {
  return {
    head: {
      kind: 'head',
      format: 'sandlot-repro',
      version: 5,
      sandlot: VERSION,
      schema: SCHEMA_VERSION,
      made_at: AT,
      world: 'default',
      seed: '42',
      inventory: 0,
      digest: '0'.repeat(64),
      target: requests.at(-1)?.n ?? 1,
      problem: null,
      privacy: { personal_data: 'replaced' },
    },
    base: [],
    requests,
    state: [],
  };
}
