import type { Child, PropsWithChildren } from 'hono/jsx';

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
  type?: 'text' | 'search' | 'password' | 'email';
  value?: string | undefined;
  placeholder?: string | undefined;
  required?: boolean;
  autocomplete?: string;
  autocapitalize?: 'words';
  inputmode?: 'numeric' | 'email';
  maxlength?: number;
}

export function Field({ label, hint, problem, as, ...input }: FieldProps) {
  const { id, type = 'text' } = input;
  return (
    <Labeled label={label} id={id} hint={hint} problem={problem}>
      <input
        {...input}
        type={type}
        inputmode={as === 'number' || as === 'cents' ? 'decimal' : input.inputmode}
        data-as={as}
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
