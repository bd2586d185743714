import type { Context } from 'hono';
import { validationError } from '../../kernel/errors.ts';
import {
  cancelSession,
  checkoutStatus,
  paySession,
  SessionClosedError,
} from '../../market/checkout/pay-session.ts';
import { findSaleOfSession } from '../../market/checkout/sessions.ts';
import type { Link } from '../../market/referrals/links.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Page, Redirect } from '../layout.tsx';
import { readForm } from '../page-request.ts';
import { findClickedLink } from '../referral/click-cookie.ts';
import { checkoutPage } from './checkout-page.tsx';
import { closedPage } from './closed-pages.tsx';
import { type Offer, respondToOffer, returnUrl } from './offer.ts';
import { declineReason, findProblems, type Payment, readPayment } from './payment.ts';

/** GET /checkout: the form, or why the checkout is closed. */
export function showCheckout(c: Context) {
  return respondToOffer(c, (tx, offer) => {
    const status = checkoutStatus(tx, offer.session);
    if (status !== 'open') return closedPage(status, offer);
    const payment = readPayment(new URLSearchParams({ email: offer.session.buyerEmail ?? '' }));
    return checkoutPage(200, offer, { payment, problems: {} });
  });
}

/** POST /checkout: pays or cancels. */
export async function submitCheckout(c: Context, publicUrl: string | undefined) {
  const form = await readForm(c, publicUrl);
  return respondToOffer(c, (tx, offer) => {
    try {
      switch (form.get('action')) {
        case 'pay':
          return pay(tx, offer, readPayment(form), findClickedLink(c, tx, offer.session));
        case 'cancel':
          return cancel(tx, offer);
        default:
          throw validationError('action: must be pay or cancel');
      }
    } catch (error) {
      if (error instanceof SessionClosedError) return closedPage(error.reason, offer);
      throw error;
    }
  });
}

/** Pays the session. @param link clicked by the buyer; a link of the session comes first */
function pay(tx: Tx, offer: Offer, payment: Payment, link: Link | undefined): Page | Redirect {
  const { session } = offer;
  const done = { location: returnUrl(session, 'paid') ?? `/checkout/receipt${offer.query}` };
  // A second submit of the same buyer leads to the same place as the first.
  const payer = findSaleOfSession(tx, session.id)?.buyerEmail;
  if (payer?.toLowerCase() === payment.email.toLowerCase()) return done;
  const status = checkoutStatus(tx, session);
  if (status !== 'open') return closedPage(status, offer);
  const problems = findProblems(payment);
  if (Object.keys(problems).length > 0) return checkoutPage(422, offer, { payment, problems });
  const card_number = declineReason(payment.card_number);
  if (card_number) return checkoutPage(402, offer, { payment, problems: { card_number } });
  const { email, name, country } = payment;
  paySession(tx, session, { email, name, country }, link);
  return done;
}

/** Cancels the session. Cancelling it again changes nothing. @throws SessionClosedError */
function cancel(tx: Tx, offer: Offer): Page | Redirect {
  const { session } = offer;
  if (session.status !== 'CANCELLED') cancelSession(tx, session);
  return { location: returnUrl(session, 'cancelled') ?? `/checkout${offer.query}` };
}
