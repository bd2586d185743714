import { EVENT_TYPES } from '../../events/catalogue.ts';
import { ERROR_CODES, ERROR_STATUS } from '../../kernel/errors.ts';
import { DROPS } from '../../store/schema/words.ts';
import { ActForm } from '../parts/act.tsx';
import { Check, Choice, Field } from '../parts/field.tsx';
import { Fold } from '../parts/section.tsx';
import type { Place } from '../place.ts';

const METHODS = ['GET', 'POST', 'PUT'];
const CODES = ERROR_CODES.map((code) => [code, `${ERROR_STATUS[code]} ${code}`] as const);
const CUTS = { before: 'before acting', after: 'after acting' };

/** A rule about calls of the partner API. */
export function CallFaultForm({ at }: { at: Place }) {
  return (
    <Fold title="Add a fault of calls" id="call-fault">
      <ActForm
        at={at}
        call="POST /faults"
        done="The fault stands"
        class="form"
        label="Add a fault of calls"
      >
        <fieldset>
          <legend>Which calls</legend>
          <Choice
            label="Method"
            name="match.method"
            id="call-method"
            options={METHODS}
            none="any"
          />
          <Field label="Path" name="match.path" id="call-path" placeholder="/orders" />
          <Field label="Domain" name="match.domain" id="call-domain" placeholder="any" />
          <Field label="Key id" name="match.key_id" id="call-key" placeholder="any" />
        </fieldset>
        <fieldset>
          <legend>What happens</legend>
          <Choice label="Error" name="effect.code" id="call-code" options={CODES} none="none" />
          <Choice
            label="Connection cut"
            name="effect.drop"
            id="call-drop"
            options={DROPS.map((drop) => [drop, CUTS[drop]] as const)}
            none="no"
          />
          <Field
            label="Delay, ms"
            name="effect.delay_ms"
            id="call-delay"
            as="number"
            placeholder="none"
          />
          <Field
            label="Answer cut behind, bytes"
            name="effect.truncate"
            id="call-truncate"
            as="number"
            placeholder="no"
          />
        </fieldset>
        <HowOften id="call" />
        <p class="row">
          <button type="submit">Add</button>
        </p>
      </ActForm>
    </Fold>
  );
}

/** A rule about webhooks. */
export function WebhookFaultForm({ at }: { at: Place }) {
  return (
    <Fold title="Add a fault of webhooks" id="webhook-fault">
      <ActForm
        at={at}
        call="POST /faults"
        done="The fault stands"
        class="form"
        label="Add a fault of webhooks"
      >
        <fieldset>
          <legend>Which webhooks</legend>
          <Choice
            label="Event"
            name="match.event"
            id="hook-event"
            options={EVENT_TYPES}
            none="any"
          />
          <Field label="Domain" name="match.domain" id="hook-domain" placeholder="any" />
        </fieldset>
        <fieldset>
          <legend>What happens</legend>
          <Check label="Dropped" name="webhook.drop" />
          <Check label="Sent twice" name="webhook.duplicate" />
          <Check label="Sent behind the next" name="webhook.reorder" />
          <Check label="Signed wrongly" name="webhook.corrupt_signature" />
          <Field
            label="Delay of sandbox time, ms"
            name="webhook.delay_ms"
            id="hook-delay"
            as="number"
            placeholder="none"
          />
        </fieldset>
        <HowOften id="hook" />
        <p class="row">
          <button type="submit">Add</button>
        </p>
      </ActForm>
    </Fold>
  );
}

function HowOften({ id }: { id: string }) {
  return (
    <fieldset>
      <legend>How often</legend>
      <Field label="Only the first" name="match.first" id={`${id}-first`} as="number" />
      <Field label="Only every nth" name="match.every" id={`${id}-every`} as="number" />
      <Field
        label="With the chance"
        name="match.probability"
        id={`${id}-probability`}
        as="number"
        placeholder="0.2"
      />
      <Field label="At most so many hits" name="times" id={`${id}-times`} as="number" />
    </fieldset>
  );
}
