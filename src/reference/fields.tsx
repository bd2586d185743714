import { formatCount } from '../kernel/count.ts';
import { EmulatorChoice, Inline, Table } from './components.tsx';
import type { Schema } from './document.ts';

/** A field of an object, at any depth, or a parameter. */
export interface Field {
  /** Path: `buyer.email`, `orders[].status`. */
  name: string;
  type: string;
  required: boolean;
  /** Whether the specification does not name it. */
  chosen: boolean;
  notes: string[];
}

interface FieldTableProps {
  caption: string;
  fields: readonly Field[];
  /** Marks the optional fields instead of the required ones. */
  inResponse?: boolean;
}

export function FieldTable({ caption, fields, inResponse = false }: FieldTableProps) {
  if (fields.length === 0) return null;
  return (
    <Table
      caption={caption}
      class="fields"
      headings={['Name', 'Type', 'Description']}
      rows={fields.map(({ name, type, required, chosen, notes }) => [
        <code>{name}</code>,
        <>
          {type}
          {required && !inResponse && <span class="need"> required</span>}
          {!required && inResponse && <span class="need"> optional</span>}
        </>,
        <>
          <Inline text={notes.join(' ')} />
          {chosen && <EmulatorChoice />}
        </>,
      ])}
    />
  );
}

/** Lists every field of a schema, with nested ones after their parent. */
export function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { core, suffix } = unwrap(schema);
    const field: Field = {
      name: prefix + name,
      type: typeOf(schema),
      required: required.includes(name),
      chosen: schema['x-emulator-choice'] === true,
      notes: notesOf(schema),
    };
    const nested = (core.anyOf ?? [core]).flatMap((variant) =>
      fieldsOf(variant, `${prefix}${name}${suffix}.`),
    );
    return [field, ...withoutDuplicates(nested)];
  });
}

/** Alternatives of a schema share fields. */
function withoutDuplicates(fields: readonly Field[]): Field[] {
  return [...Map.groupBy(fields, ({ name }) => name).values()].flatMap(([first]) =>
    first ? [first] : [],
  );
}

/** Returns the items of a list, or what may also be null. */
function unwrap(schema: Schema): { core: Schema; suffix: string } {
  const core = withoutNull(schema);
  return core.items ? { core: withoutNull(core.items), suffix: '[]' } : { core, suffix: '' };
}

function withoutNull(schema: Schema): Schema {
  const variants = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  const [only] = variants;
  return only !== undefined && variants.length === 1 ? only : schema;
}

/** Formats a type: `string or null`, `list of objects`. */
export function typeOf(schema: Schema): string {
  if (schema.anyOf) {
    return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  }
  if (schema.const !== undefined) return typeof schema.const;
  const types = [schema.type ?? 'any'].flat();
  return types
    .map((type) => {
      if (type !== 'array') return type;
      const item = schema.items ? typeOf(schema.items) : 'any';
      return `list of ${item}${item.includes(' ') ? '' : 's'}`;
    })
    .join(' or ');
}

export function notesOf(whole: Schema): string[] {
  const { anyOf: _, ...keywords } = whole;
  const schema: Schema = { ...withoutNull(whole), ...keywords };
  const notes = [
    schema.description,
    schema.const !== undefined && `Always \`${schema.const}\`.`,
    schema.enum && `One of ${schema.enum.map((value) => `\`${value}\``).join(', ')}.`,
    rangeOf(schema),
    formatOf(schema),
    schema.default !== undefined && `Default: \`${schema.default}\`.`,
  ];
  return [...new Set(notes.filter((note) => typeof note === 'string' && note !== ''))] as string[];
}

function rangeOf(schema: Schema): string | undefined {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, maxItems } = schema;
  if (maxItems !== undefined) return `At most ${maxItems}.`;
  if (maxLength !== undefined) {
    return minLength === undefined
      ? `At most ${formatCount(maxLength)} characters.`
      : `${formatCount(minLength)} to ${formatCount(maxLength)} characters.`;
  }
  if (minLength === 1) return 'Not empty.';
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1;
  if (least !== undefined && maximum !== undefined) {
    return `${formatCount(least)} to ${formatCount(maximum)}.`;
  }
  return least === undefined || least === 0 ? undefined : `At least ${formatCount(least)}.`;
}

/** Describes formats and the patterns that mean something to readers. */
function formatOf({ format, pattern }: Schema): string | undefined {
  if (format === 'date-time') return 'ISO 8601, UTC, with milliseconds.';
  if (format === 'uri') return 'An absolute http or https URL.';
  if (pattern === undefined) return undefined;
  const prefix = /^\^([a-z]+_)$/.exec(pattern)?.[1];
  if (prefix) return `Begins with \`${prefix}\`.`;
  if (pattern === '^[A-Z]{3}$') return 'Three capital letters.';
  if (pattern === '^[A-Za-z]{2}$') return 'Two letters.';
  if (pattern.includes('@')) return 'An email address.';
  if (pattern.startsWith('^[\\x21-\\x7e]')) return '1 to 255 visible ASCII characters.';
  return undefined;
}
