import type { ClosedReason } from '../../market/checkout/pay-session.ts';
import { type Notice, notice, type Way } from '../notice.tsx';
import type { Page } from '../reply.tsx';
import { Moment } from '../time-in-words.tsx';
import type { Offer } from './offer.ts';
import { wayBack } from './way-back.ts';

/** The page of a checkout with which nothing can be done any more (decisions, "Marketplace-collected sales"). */
export function closedPage(status: ClosedReason, offer: Offer): Page {
  return notice(CLOSED[status](offer));
}

/** The page of an address that was not issued here. */
export function forgedPage(): Page {
  return notice({
    status: 400,
    tone: 'bad',
    heading: 'This checkout link does not work',
    content: (
      <p>
        It is incomplete, or something in it was changed on the way. Open it once more as you
        received it, or ask for a new one.
      </p>
    ),
  });
}

/** What a buyer sees who has just cancelled, with nowhere else to go. */
export function cancelledPage(offer: Offer): Page {
  return notice({ ...CLOSED.cancelled(offer), status: 200 });
}

const CLOSED: Record<ClosedReason, (offer: Offer) => Notice> = {
  paid: (offer) => ({
    status: 409,
    tone: 'good',
    heading: 'This has already been paid',
    content: (
      <p>
        The payment for <strong>{offer.session.domain}</strong> went through. It was taken once, and
        this link cannot be used again.
      </p>
    ),
    ways: [
      { href: `/checkout/receipt${offer.query}`, label: 'See the receipt' },
      ...waysBack(offer, 'paid'),
    ],
  }),
  sold: (offer) => ({
    status: 409,
    tone: 'bad',
    heading: `${offer.session.domain} was sold meanwhile`,
    content: <p>Another buyer was faster. You have not paid anything.</p>,
    ways: waysBack(offer, 'cancelled'),
  }),
  reserved: (offer) => ({
    status: 409,
    heading: `${offer.session.domain} is reserved`,
    content: (
      <p>
        Another buyer has it reserved for a few minutes. You have not paid anything; try again
        later.
      </p>
    ),
    ways: waysBack(offer, 'cancelled'),
  }),
  expired: (offer) => ({
    status: 410,
    heading: 'This offer has expired',
    content: (
      <p>
        The offer for <strong>{offer.session.domain}</strong> ended on{' '}
        <Moment at={offer.session.expiresAt} />. Ask <bdi>{offer.partner}</bdi> for a new link.
      </p>
    ),
    ways: waysBack(offer, 'cancelled'),
  }),
  cancelled: (offer) => ({
    status: 409,
    heading: 'This checkout was cancelled',
    content: (
      <p>
        You have not paid for <strong>{offer.session.domain}</strong>, and this link cannot be used
        again.
      </p>
    ),
    ways: waysBack(offer, 'cancelled'),
  }),
};

/** Back to the partner, where it said where that is. */
export function waysBack(offer: Offer, after: 'paid' | 'cancelled'): Way[] {
  const href = wayBack(offer.session, after);
  return href === undefined ? [] : [{ href, label: `Back to ${offer.partner}` }];
}
