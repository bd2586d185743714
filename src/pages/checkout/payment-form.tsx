import { countries } from './countries.ts';
import { controlOf, Labelled } from './field.tsx';
import type { Offer } from './offer.ts';
import { FIELDS, type Payment, type Problems } from './payment.ts';

interface PaymentFormProps {
  offer: Offer;
  /** As typed before; a card number and its code are never shown again. */
  payment: Payment;
  problems: Problems;
}

/** The form in which a buyer pays. Cancelling is a form of its own, so that it sends nothing of the card. */
export function PaymentForm({ offer, payment, problems }: PaymentFormProps) {
  const action = `/checkout${offer.query}`;
  return (
    <>
      <form class="form" method="post" action={action}>
        <input type="hidden" name="action" value="pay" />
        <fieldset>
          <legend>Your details</legend>
          <BuyerFields payment={payment} problems={problems} />
        </fieldset>
        <fieldset>
          <legend>Your card</legend>
          <CardFields payment={payment} problems={problems} />
        </fieldset>
        <button type="submit" class="wide big">
          Pay {offer.price}
        </button>
      </form>
      <p class="assent">One payment. Nothing is charged in a sandbox.</p>
      <form method="post" action={action}>
        <input type="hidden" name="action" value="cancel" />
        <button type="submit" class="wide bare">
          Cancel
        </button>
      </form>
    </>
  );
}

/** What is wrong, at the top and in focus, each line leading to its field. */
export function ProblemSummary({ problems }: { problems: Problems }) {
  const listed = FIELDS.flatMap((field) => {
    const problem = problems[field];
    return problem === undefined ? [] : [{ field, problem }];
  });
  if (listed.length === 0) return null;
  return (
    // In focus without a script: after a refused submit this is what is to be read first.
    <section class="problems" aria-labelledby="problems" tabindex={-1} autofocus>
      <h2 id="problems">
        {listed.length === 1 ? 'There is a problem' : `There are ${listed.length} problems`}
      </h2>
      <ul>
        {listed.map(({ field, problem }) => (
          <li>
            <a href={`#${field}`}>{problem}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function BuyerFields({ payment, problems }: Omit<PaymentFormProps, 'offer'>) {
  return (
    <>
      <Labelled field="email" label="E-mail" problem={problems.email}>
        <input
          {...controlOf('email', problems.email)}
          type="email"
          autocomplete="email"
          inputmode="email"
          maxlength={254}
          value={payment.email}
        />
      </Labelled>
      <Labelled field="name" label="Full name" problem={problems.name}>
        <input
          {...controlOf('name', problems.name)}
          type="text"
          autocomplete="name"
          maxlength={200}
          value={payment.name}
        />
      </Labelled>
      <Labelled field="country" label="Country or region" problem={problems.country}>
        <select {...controlOf('country', problems.country)} autocomplete="country">
          <option value="">Choose a country</option>
          {countries().map(({ code, name }) => (
            <option value={code} selected={code === payment.country}>
              {name}
            </option>
          ))}
        </select>
      </Labelled>
    </>
  );
}

function CardFields({ payment, problems }: Omit<PaymentFormProps, 'offer'>) {
  return (
    <>
      <Labelled field="card_number" label="Card number" problem={problems.card_number}>
        <input
          {...controlOf('card_number', problems.card_number)}
          type="text"
          inputmode="numeric"
          autocomplete="cc-number"
          maxlength={40}
          spellcheck={false}
        />
      </Labelled>
      <div class="pair">
        <Labelled field="expiry" label="Expiry" hint="Month / year" problem={problems.expiry}>
          <input
            {...controlOf('expiry', problems.expiry, true)}
            type="text"
            inputmode="numeric"
            autocomplete="cc-exp"
            maxlength={10}
            value={payment.expiry}
          />
        </Labelled>
        <Labelled field="cvc" label="Security code" hint="3 or 4 digits" problem={problems.cvc}>
          <input
            {...controlOf('cvc', problems.cvc, true)}
            type="text"
            inputmode="numeric"
            autocomplete="cc-csc"
            maxlength={4}
          />
        </Labelled>
      </div>
    </>
  );
}
