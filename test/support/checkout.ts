import type { Fetch } from '../../src/client/fetch.ts';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { send, walked } from './calls.ts';
import type { Session } from './money.ts';
import { answered } from './responses.ts';
import { seededListing } from './seeded-listings.ts';

/** A form filled in as it pays. */
export const PAYING = {
  action: 'pay',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  country: 'GB',
  card_number: '4242 4242 4242 4242',
  expiry: '12/30',
  cvc: '123',
};

export const CANCELLING = { action: 'cancel' };

interface SessionInput {
  domain?: string;
  buyer_email?: string;
  return_url?: string;
  cancel_url?: string;
  link_id?: string;
}

/** A checkout session as a partner makes it; of the first seededListing domain unless another is named. */
export async function checkoutFor(at: InProcessSandbox, input: SessionInput = {}, key?: Key) {
  const domain = input.domain ?? (await seededListing()).domain;
  return answered<Session>(await send(at, '/checkout-session', { ...input, domain }, key), 201);
}

/** Sends a form of a page as a browser would, and follows nothing. */
export function submit(
  at: { fetch: Fetch },
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return at.fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

/** The address that a response sends the browser to. */
export function sentTo(response: Response): string {
  return response.headers.get('location') ?? '';
}

/** The URL of the receipt. */
export function receiptOf(session: Session): string {
  return session.checkout_url.replace('/checkout?', '/checkout/receipt?');
}

interface AttributedSale {
  transaction_id: string;
  buyer: { email: string; name: string | null; country: string | null };
  domain: string;
  amount_cents: number;
  commission_cents: number;
  currency: string;
  link_id: string | null;
  created_at: string;
}

/** Every sale that is attributed to the partner, newest first. */
export async function salesOf(at: InProcessSandbox): Promise<AttributedSale[]> {
  return (await walked<AttributedSale>(at, '/me/sales', 'sales')).rows;
}
