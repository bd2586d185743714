import { countedPage, type Fields, resource } from '../../kernel/resource.ts';
import { type NamedOwner, OWNER_HEADINGS, ownerFields } from '../../store/owner-fields.ts';
import { SESSION_STATES, SESSION_STATUSES, type SessionState } from '../../store/schema/enums.ts';
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

type ControlSessionRow = CheckoutSession &
  NamedOwner & { url: string; state: SessionState; transactionId: string | null };

export const controlSession = checkoutSession
  .extend(
    'ControlCheckoutSession',
    'A hosted checkout with its partner, its state and, if paid, its sale.',
    (f: Fields<ControlSessionRow>) => ({
      status: f
        .oneOf(SESSION_STATES)
        .tone((state) => (state === 'PAID' ? 'success' : 'neutral'))
        .from((row) => row.state),
      transaction_id: f.id('txn').nullable(),
      link_id: f.id('lnk').nullable(),
      buyer_email: f.text().nullable(),
      return_url: f.text().nullable(),
      cancel_url: f.text().nullable(),
      created_at: f.time(),
      ...ownerFields(f),
    }),
  )
  .display(
    {
      session_id: 'Session',
      domain: 'Domain',
      status: 'Status',
      price_cents: 'Price',
      transaction_id: 'Transaction',
      link_id: 'Link',
      buyer_email: 'Buyer',
      ...OWNER_HEADINGS,
      created_at: 'Created',
      expires_at: 'Expires',
      return_url: 'Return URL',
      cancel_url: 'Cancel URL',
      checkout_url: 'Checkout page',
    },
    ['session_id', 'domain', 'status', 'price_cents', 'partner', 'expires_at'],
  );
export const controlSessionPage = countedPage(
  controlSession,
  'ControlCheckoutSessionPage',
  'checkout_sessions',
);
