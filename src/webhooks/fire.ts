import type { Faker } from '@faker-js/faker';
import { z } from 'zod';
import { EVENT_KINDS, type EventType } from '../events/event-types.ts';
import { validationError } from '../kernel/errors.ts';
import { commissionCents } from '../kernel/money.ts';
import { type Fields, type Output, resource } from '../kernel/resource.ts';
import { caseEventData } from '../market/brokerage/case.ts';
import { COMMISSION_BASIS_POINTS } from '../market/defaults.ts';
import { orderEventData } from '../market/orders/order.ts';
import { statusAtEvent } from '../market/orders/order-actions.ts';
import { wronglySignWebhook } from '../signing/signature.ts';
import { deliveredEvent } from './event.ts';
import type { Send, SendResult } from './send.ts';
import { requireWebhookUrl } from './url-policy.ts';

/** A webhook to send now. It is not part of the event history and is not retried. */
export interface FireRequest {
  type: EventType;
  /** Of the event. */
  id: string;
  partnerId: string;
  /** Unix ms of sandbox time. */
  createdAt: number;
  data: Record<string, unknown>;
  /** Fields to replace, by path: `data.order.status`. */
  set?: Record<string, unknown> | undefined;
  url: string;
  secret: string;
  /** How often to send it, one after the other. */
  times: number;
  corrupt_signature: boolean;
}

interface FiredRow {
  url: string;
  event: Record<string, unknown>;
  attempts: SendResult[];
}

const firedAttempt = resource(
  'FiredAttempt',
  'The result of one attempt, with the beginning of the response body.',
  ({ text, count }: Fields<SendResult>) => ({
    outcome: text(),
    http_status: count().nullable(),
    duration_ms: count(),
    response: text().nullable(),
  }),
);

export const firedWebhook = resource(
  'FiredWebhook',
  'A webhook that was sent by hand; `ok` if the response to every attempt was 200 within 5 s.',
  ({ flag, text, value, list }: Fields<FiredRow>) => ({
    ok: flag().from(({ attempts }) => attempts.every(({ outcome }) => outcome === 'ok')),
    url: text(),
    event: value(() => z.record(z.string(), z.unknown())),
    attempts: list(firedAttempt),
  }),
);
export type FiredWebhook = Output<typeof firedWebhook>;

/**
 * Returns the body that a request would send.
 * @throws validation_error for a bad url, an unknown `set` path, or data that is nested too deeply
 */
export function firedBody({ url, set = {}, ...event }: FireRequest): string {
  requireWebhookUrl(url);
  try {
    let body: Record<string, unknown> = deliveredEvent.view(event);
    for (const [path, value] of Object.entries(set)) body = setPath(body, path.split('.'), value);
    return JSON.stringify(body);
  } catch (error) {
    if (error instanceof RangeError) throw validationError('data: nested too deeply');
    throw error;
  }
}

/** Signs and sends. @throws validation_error as `firedBody`, before anything is sent */
export async function fireWebhook(send: Send, request: FireRequest): Promise<FiredRow> {
  const body = firedBody(request);
  const { url, secret } = request;
  const signature = request.corrupt_signature ? wronglySignWebhook(secret, body) : undefined;
  const attempts: SendResult[] = [];
  while (attempts.length < request.times) {
    attempts.push(await send({ url, secret, body, signature }));
  }
  return { url, event: JSON.parse(body), attempts };
}

/** Returns a copy with one field replaced, such as `data.order.status`. @throws validation_error for an unknown path */
function setPath(
  target: Record<string, unknown>,
  [head = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (!Object.hasOwn(target, head)) {
    throw validationError(`set: unknown field "${head}"; use ${Object.keys(target).join(', ')}`);
  }
  if (rest.length === 0) return { ...target, [head]: value };
  const inner = target[head];
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) {
    throw validationError(`set: "${head}" is not an object; end the path with it`);
  }
  return { ...target, [head]: setPath({ ...inner }, rest, value) };
}

/** Returns plausible data of an event about an order or case that does not exist; the same seed gives the same data. */
type SampleEventData = (type: EventType, seed: number) => Record<string, unknown>;

/** Loads faker on first use: it is large, and most runs do not need it. */
export async function loadSampler(): Promise<SampleEventData> {
  const { faker } = await import('@faker-js/faker/locale/en');
  return (type, seed) => sampleEventData(faker, type, seed);
}

function sampleEventData(faker: Faker, type: EventType, seed: number): Record<string, unknown> {
  faker.seed(seed);
  const domain = faker.internet.domainName();
  const priceCents = faker.number.int({ min: 10, max: 5_000 }) * 1_000;
  const idSuffix = faker.string.alphanumeric({ length: 16, casing: 'lower' });
  if (EVENT_KINDS[type].subject === 'case') {
    return caseEventData.view({
      id: `brk_${idSuffix}`,
      domain,
      status: 'COMPLETED',
      tier: faker.helpers.arrayElement(['managed', 'self_serve'] as const),
      dealPriceCents: priceCents,
      currency: 'USD',
      commissionCents: commissionCents(priceCents, COMMISSION_BASIS_POINTS.brokerage),
    });
  }
  return orderEventData.view({
    id: `ord_${idSuffix}`,
    domain,
    status: statusAtEvent(type),
    salePriceCents: priceCents,
    currency: 'USD',
  });
}
