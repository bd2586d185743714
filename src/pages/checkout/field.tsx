import type { Child } from 'hono/jsx';
import type { Field } from './payment.ts';

interface LabelledProps {
  field: Field;
  label: string;
  hint?: string;
  problem: string | undefined;
  /** The control, with `controlOf` among its attributes. */
  children: Child;
}

/** A control with its label, hint and problem, in the order in which they are read. */
export function Labelled({ field, label, hint, problem, children }: LabelledProps) {
  return (
    <div class="field">
      <label for={field}>{label}</label>
      {hint && (
        <p class="hint" id={`${field}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${field}-problem`}>
          <span class="unseen">Error: </span>
          {problem}
        </p>
      )}
      {children}
    </div>
  );
}

/** Attributes that name a control and tie its hint and problem to it. */
export function controlOf(field: Field, problem: string | undefined, hint = false) {
  const texts = [hint && `${field}-hint`, problem && `${field}-problem`].filter(Boolean).join(' ');
  return {
    id: field,
    name: field,
    required: true,
    ...(texts !== '' && { 'aria-describedby': texts }),
    ...(problem !== undefined && { 'aria-invalid': true }),
  };
}
