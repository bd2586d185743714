import { z } from 'zod';
import { count, idOf, page, record, time } from '../kernel/answer.ts';
import { ERROR_CODES } from '../kernel/errors.ts';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import { APIS } from './log-entry.ts';
import { CHECKS, RESULTS } from './trace.ts';

export const requestSchema = record(
  'Request',
  {
    says: 'A logged call of the partner API or the control API, or a view of a hosted page. `status` is null if the connection was closed without a response.',
  },
  () => ({
    request_id: idOf('req'),
    api: z.enum(APIS),
    at: time(),
    received_at: time(),
    duration_ms: z.number().min(0),
    key_id: z.string().nullable(),
    partner_id: idOf('ptr').nullable(),
    environment: z.enum(ENVIRONMENTS).nullable(),
    method: z.string(),
    target: z.string(),
    endpoint: z.string().nullable(),
    status: count().nullable(),
    code: z.enum(ERROR_CODES).nullable(),
    message: z.string().nullable(),
    warnings: z.array(z.string()),
  }),
);

export const requestPageSchema = page('RequestPage', 'requests', requestSchema);

const messageSchema = record(
  'Message',
  { says: 'What was sent, without secrets; `altered` says whether the text is all of it.' },
  () => ({
    headers: z.array(z.array(z.string()).length(2)),
    body: z.string().nullable(),
    bytes: count(),
    encoding: z.enum(['utf8', 'base64']),
    altered: z.enum(['truncated', 'redacted']).nullable(),
  }),
);

const stepSchema = record(
  'TraceStep',
  { says: 'A check that passed or failed, or something that was done.' },
  () => ({
    check: z.enum(CHECKS),
    result: z.enum(RESULTS),
    detail: z.record(z.string(), z.unknown()),
  }),
);

export const requestDetailSchema = record(
  'RequestDetail',
  { says: 'A request with what came, what was decided and why, and what was answered.' },
  () => ({
    ...requestSchema().shape,
    request: messageSchema(),
    response: messageSchema(),
    trace: z.array(stepSchema()),
    canonical_string: z.string().nullable(),
    signed_string: z.string().nullable(),
  }),
);

export const requestMarkdownSchema = record(
  'RequestMarkdown',
  { says: 'A request as text for a ticket.' },
  () => ({ markdown: z.string() }),
);

export const requestCurlSchema = record(
  'RequestCurl',
  { says: 'A call as a curl command line; its signature is good for five minutes.' },
  () => ({ curl: z.string() }),
);

export const clearedSchema = record('Cleared', { says: 'The log is empty.' }, () => ({
  cleared: z.literal(true),
}));
