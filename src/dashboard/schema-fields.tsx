import { z } from 'zod';
import { schemaMetadata } from '../kernel/schema-metadata.ts';
import { CopyButton, Preformatted } from '../ui/code.tsx';
import { Check, Choice, Field, type FieldProps } from '../ui/form.tsx';
import { Details } from '../ui/layout.tsx';
import { ActionForm } from './actions.tsx';
import { usePage } from './page.tsx';

export interface EndpointFormProps {
  endpoint: { method: string; path: string; body?: z.ZodObject };
  /** An imperative sentence; its first word is on the button. */
  title: string;
  /** Names of fields of the body, by default all; `match.path` is a field of an object. */
  fields?: readonly string[];
  /** The text above the response, once it is there; without it, the response is not shown. */
  created?: string;
}

/**
 * Renders a closed card with a form that calls an endpoint. Labels, hints and controls follow from its body. A filter of
 * the URL, such as the environment, is filled in.
 */
export function EndpointForm({ endpoint, title, fields, created }: EndpointFormProps) {
  const id = title.toLowerCase().replaceAll(' ', '-');
  const names = fields ?? Object.keys(endpoint.body?.shape ?? {});
  return (
    <Details title={title} id={id}>
      <ActionForm call={`${endpoint.method} ${endpoint.path}`} class="form" label={title}>
        <SchemaFields schema={endpoint.body} names={names} prefix={id} values={usePage().query} />
        <p class="row">
          <button type="submit">{title.split(' ')[0]}</button>
        </p>
        {created !== undefined && (
          <div class="created" data-response data-keep hidden>
            <strong>{created}</strong>
            <Preformatted label="Response" />
            <CopyButton text="" what="the response" />
          </div>
        )}
      </ActionForm>
    </Details>
  );
}

export interface SchemaFieldsProps {
  /** Query or body of an endpoint. */
  schema: z.ZodObject | undefined;
  names: readonly string[];
  /** Begins the ids of the controls. */
  prefix: string;
  values: Record<string, string>;
  /** Filters have no hints, and their empty option is "any". */
  isFilter?: boolean;
}

/**
 * Renders a control for each field: a select for an enum, a checkbox for a boolean, checkboxes for a list of an enum, all
 * of them checked, and an input for the rest, which leaves a default to the endpoint.
 */
export function SchemaFields({ schema, names, prefix, values, isFilter }: SchemaFieldsProps) {
  return (
    <>
      {names.map((name) => {
        const { core, required, defaultValue, description } = fieldAt(schema, name);
        const label = labelOf(name);
        const hint = isFilter ? undefined : description;
        const control = { label, name, id: `${prefix}-${name}`, hint };
        const placeholder = FIELD_TEXTS[name]?.placeholder;
        const value = values[name] ?? defaultValue?.toString();
        if (core instanceof z.ZodEnum) {
          const empty = required ? undefined : (placeholder ?? (isFilter ? 'any' : ''));
          const options = core.options.map(String);
          return <Choice {...control} value={value} options={options} empty={empty} />;
        }
        if (core instanceof z.ZodBoolean) {
          const text = description?.replace(/\.$/, '') ?? label;
          return <Check label={text} name={name} checked={value === 'true'} />;
        }
        if (core instanceof z.ZodArray && core.element instanceof z.ZodEnum) {
          return (
            <fieldset>
              <legend>{label}</legend>
              {core.element.options.map((option) => (
                <Check label={`${option}`} name={name} item={`${option}`} checked />
              ))}
            </fieldset>
          );
        }
        return (
          <Field
            {...control}
            {...inputFor(core, name)}
            placeholder={placeholder}
            value={values[name]}
            required={required}
          />
        );
      })}
    </>
  );
}

function inputFor(core: unknown, name: string): Pick<FieldProps, 'as' | 'type'> {
  if (name === 'secret') return { type: 'password' };
  if (core instanceof z.ZodArray) return { as: 'list' };
  if (!(core instanceof z.ZodNumber)) return {};
  return { type: 'number', as: name.endsWith('_cents') ? 'cents' : undefined };
}

/** Labels and placeholders of fields, where they do not follow from the name and the schema. */
const FIELD_TEXTS: Readonly<Record<string, { label?: string; placeholder?: string }>> = {
  where: { label: 'Filters', placeholder: 'since:10m domain:x.io' },
  q: { label: 'Name begins with' },
  api: { label: 'API', placeholder: 'your app' },
  tld: { label: 'TLD' },
  url: { label: 'URL' },
};

/** `floor_price_cents` → "Floor price, USD". */
function labelOf(name: string): string {
  const words = name
    .replace(/^.*\./, '')
    .replace(/_cents$/, ', USD')
    .replace(/_ms$/, ', ms')
    .replace(/_id$/, '')
    .replaceAll('_', ' ');
  return FIELD_TEXTS[name]?.label ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Finds a field of an object, or of an object in it. */
function fieldAt(schema: unknown, name: string) {
  let field = schema;
  for (const part of name.split('.')) {
    const { core } = unwrap(field);
    field = core instanceof z.ZodObject ? core.shape[part] : undefined;
    if (!field) throw new Error(`a form shows ${name}, which its endpoint does not take`);
  }
  return unwrap(field);
}

/** Returns the schema inside `optional` and `default`, and what they and the descriptions say. */
function unwrap(field: unknown) {
  let core = field;
  let required = true;
  let defaultValue: unknown;
  let description: string | undefined;
  while (core instanceof z.ZodType) {
    description ??= core.description ?? schemaMetadata.get(core)?.description;
    if (core instanceof z.ZodDefault) defaultValue = core.def.defaultValue;
    else if (core instanceof z.ZodOptional) required = false;
    else break;
    core = core.unwrap();
  }
  return { core, required: required && defaultValue === undefined, defaultValue, description };
}
