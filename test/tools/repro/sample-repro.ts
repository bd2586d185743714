import type {
  ActRecord,
  InputRecord,
  Repro,
  RequestRecord,
} from '../../../src/tools/repro/format.ts';
import { placesOf } from '../../../src/tools/repro/places.ts';
import { VERSION } from '../../../src/version.ts';

const AT = Date.parse('2026-03-02T09:00:00.000Z');

/** A request with act `n`, and the act. */
export function sampleRequest(
  n: number,
  fields: Partial<RequestRecord> = {},
): [RequestRecord, ActRecord] {
  const request: RequestRecord = {
    kind: 'request',
    after: n - 1,
    acts: [n],
    at: AT + n,
    request_id: `req_${n}`,
    api: 'partner',
    method: 'POST',
    target: '/api/partner/v1/quotes',
    headers: [['X-Service-Key-Id', 'dmk_sandbox_local']],
    body: { text: '{"domain":"a.test"}' },
    body_result: null,
    signature_result: 'passed',
    response: { status: 201, headers: [], body: { text: '{"quote_id":"q"}' } },
    failed_check: null,
    ...fields,
  };
  return [request, sampleAct(n, { cause: { type: 'request', of: n, part: 1 } })];
}

export function sampleAct(n: number, fields: Partial<ActRecord> = {}): ActRecord {
  return { kind: 'act', n, at: AT + n, now: AT + n, cause: { type: 'moves' }, ...fields };
}

/** A small valid repro, of the last request unless told otherwise. */
export function sampleRepro(inputs: InputRecord[] = sampleRequest(1)): Repro {
  const last = inputs.findLast(({ kind }) => kind === 'request') ?? inputs.at(-1);
  const target = (last && placesOf(inputs).get(last)) ?? '1';
  return {
    head: {
      kind: 'head',
      format: 'sandlot-repro',
      version: 1,
      sandlot: VERSION,
      schema: 1,
      made_at: AT,
      origin: 'sandbox',
      world: 'default',
      base_url: 'http://127.0.0.1:4010',
      settings: {
        rate_limits: { search: 60, write: 20, reporting: 30, default: null },
        last_id_series: 0,
        frozen_at: null,
        default_credential: true,
      },
      base: {
        type: 'seed',
        seed: '42',
        inventory: 0,
        digest: '0'.repeat(64),
        created_at: AT,
        id_series: 0,
      },
      target,
      focus: [target, target],
      verified: true,
      privacy: { personal_data: 'replaced', replaced: {} },
    },
    rows: [],
    inputs,
    end: { kind: 'end', digest: 'a'.repeat(64) },
  };
}
