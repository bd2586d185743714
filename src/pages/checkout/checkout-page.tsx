import { Choice, Field, type FieldProps } from '../../ui/form.tsx';
import { DescriptionList } from '../../ui/layout.tsx';
import { LongTimestamp } from '../../ui/text.tsx';
import type { Page } from '../layout.tsx';
import { countries } from './countries.ts';
import type { Offer } from './offer.ts';
import { FIELDS, type Payment, type Problems } from './payment.ts';

interface FormState {
  /** The fields as the buyer typed them. The card number and its code are never shown again. */
  payment: Payment;
  problems: Problems;
}

/**
 * Makes the page on which a buyer pays (specification, "Checkout session").
 * @param status 422 after a form with an invalid field, 402 after a declined card
 */
export function checkoutPage(status: 200 | 402 | 422, offer: Offer, state: FormState): Page {
  const hasProblems = Object.keys(state.problems).length > 0;
  return {
    status,
    title: `${hasProblems ? 'Error: ' : ''}Pay for ${offer.session.domain}`,
    content: (
      <div class="checkout">
        <OfferSummary offer={offer} />
        <section class="sheet pay stack" aria-labelledby="payment">
          <h2 id="payment">Payment details</h2>
          <PaymentForm offer={offer} {...state} />
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
        Offered by partner <bdi>{partner}</bdi>
      </p>
      <h1 id="domain">{session.domain}</h1>
      <p class="price">
        {price} <span class="visually-hidden">{session.currency}</span>
      </p>
      {description && <p class="quiet">{description}</p>}
      <DescriptionList
        items={[
          ['Due now', `${price} ${session.currency}`],
          ['Offer ends', <LongTimestamp at={session.expiresAt} />],
        ]}
      />
    </section>
  );
}

/** Renders the form. Cancelling is a form of its own, so that it sends no card data. */
function PaymentForm({ offer, ...state }: FormState & { offer: Offer }) {
  const action = `/checkout${offer.query}`;
  return (
    <>
      <form class="form" method="post" action={action}>
        <input type="hidden" name="action" value="pay" />
        <fieldset>
          <legend>Your details</legend>
          <Input field="email" {...state} />
          <Input field="name" {...state} />
          <Choice
            {...controlProps('country', state.problems)}
            label="Country or region"
            autocomplete="country"
            options={countries()}
            value={state.payment.country}
            empty="Choose a country"
          />
        </fieldset>
        <fieldset>
          <legend>Your card</legend>
          <Input field="card_number" {...state} />
          <div class="pair">
            <Input field="expiry" {...state} />
            <Input field="cvc" {...state} />
          </div>
        </fieldset>
        <button type="submit" class="wide big">
          Pay {offer.price}
        </button>
      </form>
      <p class="assent">One payment. A sandbox charges nothing.</p>
      <form method="post" action={action}>
        <input type="hidden" name="action" value="cancel" />
        <button type="submit" class="wide bare">
          Cancel
        </button>
      </form>
    </>
  );
}

type InputName = Exclude<keyof Payment, 'country'>;

const INPUTS: Record<InputName, Partial<FieldProps> & { label: string }> = {
  email: { label: 'Email', type: 'email', autocomplete: 'email', maxlength: 254 },
  name: { label: 'Full name', autocomplete: 'name', autocapitalize: 'words', maxlength: 200 },
  card_number: {
    label: 'Card number',
    hint: '4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined. Never enter a real card.',
    ...numeric('cc-number', 40),
  },
  expiry: { label: 'Expiry', hint: 'Month / year', ...numeric('cc-exp', 10) },
  cvc: { label: 'Security code', hint: '3 or 4 digits', ...numeric('cc-csc', 4) },
};

function numeric(autocomplete: string, maxlength: number) {
  return { inputmode: 'numeric', autocomplete, maxlength } as const;
}

function Input({ field, payment, problems }: FormState & { field: InputName }) {
  const isSecret = field === 'card_number' || field === 'cvc';
  return (
    <Field
      {...controlProps(field, problems)}
      {...INPUTS[field]}
      value={isSecret ? undefined : payment[field]}
    />
  );
}

function controlProps(field: keyof Payment, problems: Problems) {
  // Takes the focus without a script: after a rejected form, its first problem is read first.
  const autofocus = field === FIELDS.find((name) => problems[name] !== undefined);
  return { id: field, name: field, required: true, problem: problems[field], autofocus };
}
