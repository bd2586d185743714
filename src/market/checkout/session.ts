import { type Fields, type Output, resource } from '../../kernel/resource.ts';
import { SESSION_STATUSES } from '../../store/schema/enums.ts';
import type { CheckoutSession } from './sessions.ts';

export const checkoutSession = resource(
  'CheckoutSession',
  'A hosted checkout; `checkout_url` carries a signed token in `pt` and is valid for 7 days.',
  ({ id, url, text, amount, currency, time }: Fields<CheckoutSession & { url: string }>) => ({
    session_id: id('cs').from((row) => row.id),
    checkout_url: url()
      .from((row) => row.url)
      .specified(),
    domain: text(),
    price_cents: amount(),
    currency: currency(),
    expires_at: time(),
  }),
);

export const cancelledSession = checkoutSession.extend(
  'CancelledCheckoutSession',
  'A hosted checkout with its state.',
  ({ oneOf }: Fields<CheckoutSession & { url: string }>) => ({ status: oneOf(SESSION_STATUSES) }),
);
export type CancelledSession = Output<typeof cancelledSession>;
