import type { Child, PropsWithChildren } from 'hono/jsx';
import { type InWorld, urlFor } from './urls.ts';

interface ControlProps {
  label: string;
  name: string;
  id: string;
  hint?: Child;
  problem?: string | undefined;
}

interface FieldProps extends ControlProps {
  /** How the script reads the text; as text if left out. */
  as?: 'number' | 'cents' | 'list';
  /** Marks the field that the shortcut `/` goes to. */
  search?: boolean | undefined;
  type?: 'text' | 'search' | 'password' | 'email';
  value?: string | undefined;
  placeholder?: string | undefined;
  required?: boolean;
  autocomplete?: string;
  autocapitalize?: 'words';
  inputmode?: 'numeric' | 'email';
  maxlength?: number;
}

/** Renders a labeled input. */
export function Field({ label, hint, problem, as, search, ...input }: FieldProps) {
  const { id, type = 'text' } = input;
  return (
    <Labeled label={label} id={id} hint={hint} problem={problem}>
      <input
        {...input}
        type={type}
        inputmode={as === 'number' || as === 'cents' ? 'decimal' : input.inputmode}
        data-as={as}
        data-search={search}
        spellcheck={false}
        autocapitalize={input.autocapitalize ?? 'off'}
        {...described(id, hint, problem)}
      />
    </Labeled>
  );
}

interface ChoiceProps extends ControlProps {
  options: readonly (string | readonly [value: string, label: string])[];
  value?: string | undefined;
  /** Label of the empty option; there is none if left out. */
  empty?: string | undefined;
  as?: 'boolean';
  required?: boolean;
  autocomplete?: string;
}

/** Renders a labeled select. */
export function Choice({
  label,
  hint,
  problem,
  options,
  value,
  empty,
  as,
  ...select
}: ChoiceProps) {
  return (
    <Labeled label={label} id={select.id} hint={hint} problem={problem}>
      <select {...select} data-as={as} {...described(select.id, hint, problem)}>
        {empty !== undefined && <option value="">{empty}</option>}
        {options.map((option) => {
          const [each, shown] = typeof option === 'string' ? [option, option] : option;
          return (
            <option value={each} selected={each === value}>
              {shown}
            </option>
          );
        })}
      </select>
    </Labeled>
  );
}

/** Renders a control with its label, problem and hint. */
function Labeled({
  label,
  id,
  hint,
  problem,
  children,
}: PropsWithChildren<Omit<ControlProps, 'name'>>) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          <span class="unseen">Error: </span>
          {problem}
        </p>
      )}
      {children}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Attributes that tie a control to its hint and its problem. */
function described(id: string, hint: Child | undefined, problem: string | undefined) {
  const texts = [hint !== undefined && `${id}-hint`, problem && `${id}-problem`].filter(Boolean);
  return {
    ...(texts.length > 0 && { 'aria-describedby': texts.join(' ') }),
    ...(problem !== undefined && { 'aria-invalid': true }),
  };
}

/** Renders a labeled checkbox. `item` makes it one value of a list. */
export function Check(props: {
  label: string;
  name: string;
  value?: string;
  as?: 'boolean' | 'item';
  checked?: boolean;
}) {
  const { label, name, value = 'true', as = 'boolean', checked } = props;
  return (
    <label class="check">
      <input type="checkbox" name={name} value={value} data-as={as} checked={checked} /> {label}
    </label>
  );
}

interface CallProps {
  page: InWorld;
  /** Method and route of the control API: `POST /orders/ord_1/advance`. */
  call: string;
  query?: Record<string, string>;
  /** Fields of the body that are not in the form. */
  send?: object;
  /** Shown after it is done. */
  done: string;
  /** Asked before it is done. */
  confirm?: string | undefined;
  /** URL to open after it is done. */
  then?: string | undefined;
}

/**
 * Renders a form that the script sends to the control API as JSON. `match.path` names a field of an object,
 * `data-as` says how its text is read.
 */
export function ActionForm({
  page,
  call,
  query,
  send,
  done,
  confirm,
  then,
  class: kind = 'action',
  label,
  children,
}: PropsWithChildren<CallProps & { class?: string; label?: string }>) {
  const [method = 'POST', path = ''] = call.split(' ');
  return (
    <form
      class={kind}
      aria-label={label}
      method="post"
      action={urlFor(page, path, query)}
      data-method={method}
      data-send={send && JSON.stringify(send)}
      data-done={done}
      data-confirm={confirm}
      data-then={then}
      autocomplete="off"
    >
      {children}
      <p class="problem" role="alert" data-problem data-keep hidden />
    </form>
  );
}

/** Renders a button that makes one call. `about` distinguishes it for screen readers. */
export function ActionButton({
  children,
  primary = false,
  about,
  ...call
}: PropsWithChildren<CallProps & { primary?: boolean; about?: string }>) {
  return (
    <ActionForm {...call}>
      <button type="submit" class={primary ? 'primary' : 'plain'}>
        {children}
        {about !== undefined && <span class="unseen"> {about}</span>}
      </button>
    </ActionForm>
  );
}
