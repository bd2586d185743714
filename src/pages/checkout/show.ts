import type { Context } from 'hono';
import { checkoutStatus } from '../../market/checkout/pay-session.ts';
import type { Worlds } from '../../world/worlds.ts';
import { reply } from '../reply.tsx';
import { checkoutPage } from './checkout-page.tsx';
import { closedPage, forgedPage } from './closed-pages.tsx';
import { withOffer } from './offer.ts';
import { readPayment } from './payment.ts';

/** GET /checkout: the form while there is something to pay, else why there is not. */
export async function showCheckout(c: Context, worlds: Worlds) {
  const page = await withOffer(c, worlds, (tx, offer) => {
    const status = checkoutStatus(tx, offer.session);
    if (status !== 'open') return closedPage(status, offer);
    const payment = readPayment(new URLSearchParams({ email: offer.session.buyerEmail ?? '' }));
    return checkoutPage(200, offer, { payment, problems: {} });
  });
  return reply(c, page ?? forgedPage());
}
