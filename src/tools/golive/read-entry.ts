import { parseHttpUrl } from '../../kernel/addresses.ts';
import { endOf, type RequestLogEntry } from '../../requests/log-entry.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { Activity, ReceiverTestActivity } from './activity.ts';
import type { Credentials } from './credentials.ts';
import { detailOf, parseObject, requestOf, text } from './request-activity.ts';

/** Control API calls that are boundaries: requests after them are unrelated to requests before them. */
const BOUNDARIES = new Set(['/_sandbox/reset', '/_sandbox/snapshots/:name/restore']);

/** The endpoint that receives the results of receiver tests. */
const RECEIVER_TESTS = '/_sandbox/golive/receiver-test';

/** The endpoint that creates credentials. */
const CREDENTIALS = '/_sandbox/credentials';

/** Converts an entry of the request log to an activity; undefined if it shows nothing about an integration. */
export function readEntry(
  entry: RequestLogEntry,
  credentials: Credentials,
): Activity | 'boundary' | undefined {
  const { api, method, endpoint, status } = entry;
  if (api === 'control') {
    if (status === null || status >= 300) return undefined;
    if (endpoint === RECEIVER_TESTS) return receiverTestOf(entry);
    if (endpoint === CREDENTIALS) {
      const { key_id: keyId, golive, ...created } = parseObject(entry.response.body) ?? {};
      const owner = `${created.world} ${created.partner_id} ${created.environment}`;
      credentials.add({ keyId: String(keyId), owner, golive: golive !== false });
    }
    return BOUNDARIES.has(endpoint ?? '') ? 'boundary' : undefined;
  }
  const userAgent = headerOf(entry.request.headers, 'user-agent');
  // Requests of sandlot itself show nothing about an integration.
  if (userAgent?.startsWith('sandlot/')) return undefined;
  if (api === 'partner') {
    return credentials.isLeftOut(entry) ? undefined : requestOf(entry, userAgent);
  }
  const session = text(detailOf(entry.trace, 'route')?.session_id);
  if (session === undefined || method !== 'GET' || status !== 200) return undefined;
  return { kind: 'page_view', id: entry.requestId, at: endOf(entry), session };
}

function receiverTestOf(entry: RequestLogEntry): ReceiverTestActivity | undefined {
  const { url, failed, unseen } = parseObject(entry.request.body) ?? {};
  const target = parseHttpUrl(text(url) ?? '');
  if (!target) return undefined;
  return {
    kind: 'receiver_test',
    at: endOf(entry),
    url: target.origin + target.pathname,
    failed: texts(failed),
    unseen: texts(unseen),
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
