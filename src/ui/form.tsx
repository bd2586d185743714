import type { Child, PropsWithChildren } from 'hono/jsx';

interface ControlProps {
  label: string;
  name: string;
  id: string;
  hint?: Child;
  problem?: string | undefined;
  autofocus?: boolean;
}

export interface FieldProps extends ControlProps {
  /** How `ui/browser/fields.js` reads what is typed: dollars as cents, or words between commas; by default as `type` says. */
  as?: 'cents' | 'list' | undefined;
  type?: 'text' | 'password' | 'email' | 'number' | undefined;
  value?: string | undefined;
  placeholder?: string | undefined;
  required?: boolean;
  autocomplete?: string;
  autocapitalize?: 'words';
  inputmode?: 'numeric';
  maxlength?: number;
}

export function Field({ label, hint, problem, as, ...input }: FieldProps) {
  const { id, type = 'text' } = input;
  const step = as === 'cents' ? 0.01 : 'any';
  return (
    <Labeled label={label} id={id} hint={hint} problem={problem}>
      <input
        {...input}
        type={type}
        step={type === 'number' ? step : undefined}
        data-as={as}
        spellcheck={false}
        autocapitalize={input.autocapitalize ?? 'off'}
        {...ariaProps(id, hint, problem)}
      />
    </Labeled>
  );
}

interface ChoiceProps extends ControlProps {
  options: readonly (string | readonly [value: string, label: string])[];
  value?: string | undefined;
  /** Label of the empty option; there is none if left out. */
  empty?: string | undefined;
  required?: boolean;
  autocomplete?: string;
}

export function Choice({ label, hint, problem, options, value, empty, ...select }: ChoiceProps) {
  return (
    <Labeled label={label} id={select.id} hint={hint} problem={problem}>
      <select {...select} {...ariaProps(select.id, hint, problem)}>
        {empty !== undefined && <option value="">{empty}</option>}
        {options.map((option) => {
          const [optionValue, text] = typeof option === 'string' ? [option, option] : option;
          return (
            <option value={optionValue} selected={optionValue === value}>
              {text}
            </option>
          );
        })}
      </select>
    </Labeled>
  );
}

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
          <span class="visually-hidden">Error: </span>
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

/** Returns the attributes that connect a control with its hint and its problem. */
function ariaProps(id: string, hint: Child | undefined, problem: string | undefined) {
  const texts = [hint !== undefined && `${id}-hint`, problem && `${id}-problem`].filter(Boolean);
  return {
    ...(texts.length > 0 && { 'aria-describedby': texts.join(' ') }),
    ...(problem && { 'aria-invalid': true }),
  };
}

interface CheckProps {
  label: string;
  name: string;
  /** One value of a list; without it, the box is true or false. */
  item?: string;
  checked?: boolean;
}

export function Check({ label, name, item, checked = false }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value={item} data-as={item && 'item'} checked={checked} />{' '}
      {label}
    </label>
  );
}
