import { EVENT_TYPES, EVENTS } from '../../events/event-types.ts';
import { ActForm } from '../parts/act.tsx';
import { Check, Choice, Field } from '../parts/field.tsx';
import { Fold } from '../parts/section.tsx';
import { AnswerPlace } from '../parts/verbatim.tsx';
import type { Place } from '../place.ts';

/** Sends a signed webhook by hand, about an order or a made-up one. */
export function FireForm({ at }: { at: Place }) {
  return (
    <Fold title="Fire a webhook" id="fire">
      <ActForm
        at={at}
        call="POST /webhooks/fire"
        done="The webhook was sent"
        class="form"
        label="Fire a webhook"
      >
        <Choice
          label="Event"
          name="type"
          id="fire-type"
          options={EVENT_TYPES.map((type) => [type, `${type}: ${EVENTS[type].meaning}`] as const)}
        />
        <Field
          label="About the order"
          name="order"
          id="fire-order"
          placeholder="ord_…"
          hint="A made-up one when left empty."
        />
        <Field
          label="To the url"
          name="url"
          id="fire-url"
          placeholder="http://127.0.0.1:4020/"
          hint="The registered one when left empty."
        />
        <Field
          label="Signed with the secret"
          name="secret"
          id="fire-secret"
          type="password"
          hint="The registered one when left empty."
        />
        <Field label="Times" name="times" id="fire-times" as="number" placeholder="1" />
        <Check label="With a wrong signature" name="corrupt_signature" />
        <p class="row">
          <button type="submit">Fire</button>
        </p>
        <AnswerPlace label="What came of it" hidden />
      </ActForm>
    </Fold>
  );
}
