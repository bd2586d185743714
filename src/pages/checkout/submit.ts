import type { Context } from 'hono';
import { validationError } from '../../kernel/errors.ts';
import {
  type ClosedReason,
  cancelSession,
  checkoutStatus,
  paySession,
  SessionClosedError,
} from '../../market/checkout/pay-session.ts';
import { type CheckoutSession, saleOfSession } from '../../market/checkout/sessions.ts';
import type { Link } from '../../market/referrals/links.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Worlds } from '../../world/worlds.ts';
import { postedForm } from '../posted-form.ts';
import { clickCarriedBy } from '../referral/click-cookie.ts';
import { type Detour, type Page, reply } from '../reply.tsx';
import { checkoutPage } from './checkout-page.tsx';
import { closedPage, forgedPage } from './closed-pages.tsx';
import { type Offer, withOffer } from './offer.ts';
import { buyerOf, type Payment, problemsOf, readPayment, rejectionOf } from './payment.ts';
import { wayBack } from './way-back.ts';

/** POST /checkout: pays or cancels, in one transaction. */
export async function submitCheckout(
  c: Context,
  { worlds, publicUrl }: { worlds: Worlds; publicUrl: string | undefined },
) {
  const form = await postedForm(c, publicUrl);
  const answer = await withOffer(c, worlds, (tx, offer): Page | Detour => {
    switch (form.get('action')) {
      case 'pay':
        return pay(tx, offer, readPayment(form), clickCarriedBy(c, tx, offer.session));
      case 'cancel':
        return cancel(tx, offer);
      default:
        throw validationError('The form does not say whether to pay or to cancel.');
    }
  });
  return reply(c, answer ?? forgedPage());
}

function pay(tx: Tx, offer: Offer, payment: Payment, clicked: Link | undefined): Page | Detour {
  const { session } = offer;
  const paid = { goTo: wayBack(session, 'paid') ?? `/checkout/receipt${offer.query}` };
  // Pressed twice, or in two tabs: the buyer who has paid ends where the payment led.
  if (hasPaid(tx, session, payment.email)) return paid;
  const status = checkoutStatus(tx, session);
  if (status !== 'open') return closedPage(status, offer);
  const problems = problemsOf(payment, tx.now);
  if (Object.keys(problems).length > 0) return checkoutPage(422, offer, { payment, problems });
  const rejection = rejectionOf(payment.card_number);
  if (rejection !== undefined) {
    return checkoutPage(402, offer, { payment, problems: { card_number: rejection } });
  }
  const closed = closedInstead(() => paySession(tx, session, buyerOf(payment), clicked));
  return closed === undefined ? paid : closedPage(closed, offer);
}

/** Cancelling twice is cancelling once. */
function cancel(tx: Tx, offer: Offer): Page | Detour {
  const { session } = offer;
  const closed = closedInstead(() => cancelSession(tx, session));
  if (closed !== undefined && closed !== 'cancelled') return closedPage(closed, offer);
  return { goTo: wayBack(session, 'cancelled') ?? `/checkout/cancelled${offer.query}` };
}

/** Where the session stands instead of letting `act` happen; undefined when it did. */
function closedInstead(act: () => unknown): ClosedReason | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof SessionClosedError) return error.reason;
    throw error;
  }
}

function hasPaid(tx: Tx, session: CheckoutSession, email: string): boolean {
  const payer = saleOfSession(tx, session)?.buyerEmail;
  return payer?.toLowerCase() === email.toLowerCase();
}
