import type { Child } from 'hono/jsx';
import { z } from 'zod';
import { Check, Choice, Field } from '../ui/form.tsx';
import { Details } from '../ui/layout.tsx';
import { ActionForm } from './actions.tsx';

export interface FieldText {
  label: string;
  placeholder?: string;
  hint?: string;
  as?: 'cents';
  type?: 'search' | 'password';
  labels?: Readonly<Record<string, string>>;
}

interface EndpointFormProps {
  endpoint: { method: string; path: string; body?: z.ZodObject };
  title: string;
  /** Id of the card; begins the ids of the controls. */
  id: string;
  fields: Readonly<Record<string, FieldText>>;
  values?: Record<string, string>;
  button: string;
  /** Shown after it is done. */
  done: string;
  children?: Child;
}

/** Renders a closed card with a form that calls an endpoint. */
export function EndpointForm(props: EndpointFormProps) {
  const { endpoint, title, id, fields, values = {}, button, done, children } = props;
  return (
    <Details title={title} id={id}>
      <ActionForm
        call={`${endpoint.method} ${endpoint.path}`}
        done={done}
        class="form"
        label={title}
      >
        <SchemaFields schema={endpoint.body} prefix={id} fields={fields} values={values} />
        <p class="row">
          <button type="submit">{button}</button>
        </p>
        {children}
      </ActionForm>
    </Details>
  );
}

interface SchemaFieldsProps {
  /** Query or body of an endpoint. */
  schema: z.ZodObject | undefined;
  fields: Readonly<Record<string, FieldText>>;
  /** Begins the ids of the controls. */
  prefix: string;
  values?: Record<string, string>;
  /** Label of an empty choice. */
  empty?: string;
}

/** Renders a control for each field: a select for an enum, checkboxes for a list of one, an input for the rest. */
export function SchemaFields({ schema, fields, prefix, values = {}, empty }: SchemaFieldsProps) {
  return (
    <>
      {Object.entries(fields).map(([name, { labels, as, ...text }]) => {
        const { core, optional, byDefault } = unwrap(schema?.shape[name]);
        const control = { ...text, name, id: `${prefix}-${name}` };
        if (core instanceof z.ZodEnum) {
          const value = values[name] ?? (byDefault === undefined ? undefined : String(byDefault));
          return (
            <Choice
              {...control}
              value={value}
              options={core.options.map((option) => [`${option}`, labels?.[option] ?? `${option}`])}
              empty={optional ? empty : undefined}
            />
          );
        }
        if (core instanceof z.ZodBoolean && byDefault === true) {
          const options = [
            ['true', 'yes'],
            ['false', 'no'],
          ] as const;
          return <Choice {...control} as="boolean" options={options} />;
        }
        if (core instanceof z.ZodBoolean) return <Check label={text.label} name={name} />;
        if (core instanceof z.ZodArray && core.element instanceof z.ZodEnum) {
          return (
            <fieldset>
              <legend>{text.label}</legend>
              {core.element.options.map((option) => (
                <Check label={`${option}`} name={name} value={`${option}`} as="item" checked />
              ))}
            </fieldset>
          );
        }
        const inferred =
          core instanceof z.ZodNumber ? 'number' : core instanceof z.ZodArray ? 'list' : undefined;
        const how = as ?? inferred;
        return (
          <Field
            {...control}
            {...(how && { as: how })}
            value={values[name]}
            required={!optional && byDefault === undefined}
          />
        );
      })}
    </>
  );
}

function unwrap(field: unknown): { core: unknown; optional: boolean; byDefault: unknown } {
  if (field === undefined) throw new Error('a form shows a field that its endpoint does not take');
  let [core, optional, byDefault]: unknown[] = [field, false, undefined];
  while (core instanceof z.ZodOptional || core instanceof z.ZodDefault) {
    if (core instanceof z.ZodDefault) byDefault = core.def.defaultValue;
    else optional = true;
    core = core.unwrap();
  }
  return { core, optional: optional === true, byDefault };
}
