import type { RawEntry } from '../../requests/log-entry.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { Step } from '../../requests/trace.ts';
import { bytesOf, type RequestRecord } from './format.ts';

/** Converts a request of a file to an entry of a request log. */
export function rawEntryOf(record: RequestRecord): RawEntry {
  const { api, at, runs, method, target, headers, body, response, code } = record;
  const bytes = bytesOf(body);
  const hasResponse = 'status' in response;
  return {
    columns: {
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
    },
    head: {
      bodyRejection: record.body_result,
      startedMs: 0,
      environment: record.environment,
      body: {
        bytes: bytes.length,
        encoding: body && 'base64' in body ? 'base64' : 'utf8',
        altered: record.is_cut ? 'truncated' : null,
      },
      bodySha256: null,
      responseHeaders: hasResponse ? response.headers : [],
      response: null,
      steps: record.trace as (string | Step)[] as RawEntry['head']['steps'],
      signedString: null,
    },
    runs,
    headers: headers.flat(),
    body: body && 'base64' in body ? body.base64 : bytes.toString(),
    response: hasResponse ? response.body.text : '',
    requestId: record.request_id,
  };
}
