import type { RawEntry } from '../../requests/log-entry.ts';
import { headerOf } from '../../requests/logged-request.ts';
import { bytesOf, type RequestRecord } from './format.ts';

/** Converts a request of a file to an entry of a request log. */
export function rawEntryOf(record: RequestRecord): RawEntry {
  const { api, at, runs, method, target, headers, body, response, code } = record;
  const bytes = bytesOf(body);
  const isBinary = body !== null && 'base64' in body;
  const hasResponse = 'status' in response;
  const responseBody = hasResponse ? response.body.text : '';
  return {
    api,
    at: runs.at(-1)?.now ?? at,
    receivedAt: at,
    durationUs: 0,
    keyId: headerOf(headers, 'x-service-key-id') ?? null,
    partnerId: record.partner_id,
    method,
    target,
    endpoint: record.endpoint,
    status: hasResponse ? response.status : null,
    code,
    request: {
      headers,
      body: isBinary ? body.base64 : bytes.toString(),
      bytes: bytes.length,
      encoding: isBinary ? 'base64' : 'utf8',
      altered: record.is_cut ? 'truncated' : null,
    },
    response: {
      headers: hasResponse ? response.headers : [],
      body: responseBody,
      bytes: Buffer.byteLength(responseBody),
      encoding: 'utf8',
      altered: null,
    },
    bodyRejection: record.body_result,
    startedMs: 0,
    environment: record.environment,
    bodySha256: null,
    signedString: null,
    runs,
    requestId: record.request_id,
    steps: record.trace as RawEntry['steps'],
  };
}
