import { TEST_CARDS } from '../../market/checkout/test-cards.ts';
import { Fact } from '../fact.tsx';
import type { Page } from '../reply.tsx';
import { Moment } from '../time-in-words.tsx';
import type { Offer } from './offer.ts';
import type { Payment, Problems } from './payment.ts';
import { PaymentForm, ProblemSummary } from './payment-form.tsx';
import { formTargets } from './way-back.ts';

export interface Attempt {
  payment: Payment;
  problems: Problems;
}

/**
 * The page on which a buyer pays (specification, "Checkout session").
 * @param status 200; after a refused submit 422 where a field is at fault, 402 where the card is
 */
export function checkoutPage(
  status: 200 | 402 | 422,
  offer: Offer,
  { payment, problems }: Attempt,
): Page {
  const failed = Object.keys(problems).length > 0;
  return {
    status,
    title: `${failed ? 'Error: ' : ''}Pay for ${offer.session.domain}`,
    formTargets: formTargets(offer.session),
    content: (
      <div class="checkout">
        <OfferSummary offer={offer} />
        <section class="sheet pay stack" aria-labelledby="payment">
          <h2 id="payment">Payment details</h2>
          <ProblemSummary problems={problems} />
          <TestCards />
          <PaymentForm offer={offer} payment={payment} problems={problems} />
        </section>
      </div>
    ),
  };
}

function OfferSummary({ offer }: { offer: Offer }) {
  const { session, partner, price, description } = offer;
  return (
    <section class="offer stack" aria-labelledby="domain">
      <p class="eyebrow">
        Offered by <bdi>{partner}</bdi>
      </p>
      <h1 id="domain">{session.domain}</h1>
      <p class="price">
        {price} <span class="unseen">{session.currency}</span>
      </p>
      {description && <p class="quiet">{description}</p>}
      <dl class="facts">
        <Fact name="Due now">
          {price} {session.currency}
        </Fact>
        <Fact name="Offer ends">
          <Moment at={session.expiresAt} />
        </Fact>
      </dl>
    </section>
  );
}

const OUTCOMES = { paid: 'pays', declined: 'is declined' };

function TestCards() {
  return (
    <details class="cards">
      <summary>Test cards</summary>
      <div>
        <dl>
          {TEST_CARDS.map(({ number, result }) => (
            <>
              <dt class="number">{number}</dt>
              <dd>{OUTCOMES[result]}</dd>
            </>
          ))}
        </dl>
        <p class="quiet">
          Any expiry date to come and any 3 or 4 digits do. Every other card number is refused;
          never enter a real one.
        </p>
      </div>
    </details>
  );
}
