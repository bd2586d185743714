import type { Child } from 'hono/jsx';

interface FieldProps {
  label: string;
  name: string;
  id: string;
  /** What is made of the text when it is sent; text when left out. */
  as?: 'number' | 'cents' | 'list' | 'json' | 'boolean' | 'duration_ms';
  value?: string | undefined;
  placeholder?: string;
  required?: boolean;
  hint?: Child;
  class?: string;
  type?: 'text' | 'search' | 'password';
  /** The one that `/` leads to. */
  search?: boolean;
}

/** A labelled line to type in. */
export function Field({ label, name, id, as, hint, search, type = 'text', ...rest }: FieldProps) {
  return (
    <div class={`field ${rest.class ?? ''}`}>
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type}
        value={rest.value}
        placeholder={rest.placeholder}
        required={rest.required}
        inputmode={as === 'number' || as === 'cents' ? 'decimal' : undefined}
        data-as={as}
        data-search={search}
        spellcheck={false}
        autocapitalize="off"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

type Option = string | readonly [value: string, label: string];

/** A labelled choice; an empty value stands for none. */
export function Choice(props: {
  label: string;
  name: string;
  id: string;
  options: readonly Option[];
  value?: string | undefined;
  /** What stands for no choice. */
  none?: string;
  as?: 'number' | 'boolean';
}) {
  const { label, name, id, options, value, none, as } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} data-as={as}>
        {none !== undefined && <option value="">{none}</option>}
        {options.map((option) => {
          const [each, shown] = typeof option === 'string' ? [option, option] : option;
          return (
            <option value={each} selected={each === value}>
              {shown}
            </option>
          );
        })}
      </select>
    </div>
  );
}

/** Something to tick. */
export function Check(props: {
  label: string;
  name: string;
  value?: string;
  as?: 'boolean' | 'item';
  checked?: boolean;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={props.name}
        value={props.value ?? 'true'}
        data-as={props.as ?? 'boolean'}
        checked={props.checked}
      />{' '}
      {props.label}
    </label>
  );
}
