import { configJsonSchema } from '../../src/config/schema.ts';

/** The part of JSON Schema that describes a setting. */
interface Schema {
  type?: string;
  description?: string;
  enum?: readonly string[];
  const?: unknown;
  default?: unknown;
  items?: Schema;
  anyOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: readonly string[];
}

/**
 * Returns a row for each setting of the configuration file and each field of its lists, from the published JSON Schema.
 */
export function settingsTable(): string {
  return [
    '| setting | type | |',
    '|---|---|---|',
    ...rowsOf(configJsonSchema() as Schema, ''),
  ].join('\n');
}

function rowsOf({ properties = {}, required = [] }: Schema, prefix: string): string[] {
  return Object.entries(properties)
    .filter(([name]) => name !== '$schema')
    .flatMap(([name, schema]) => {
      const path = `${prefix}${name}`;
      const note = [
        schema.description ?? '',
        ...(required.includes(name) && schema.default === undefined ? ['Required.'] : []),
        ...(schema.default === undefined ? [] : [`Default: ${formatValue(schema.default)}.`]),
      ];
      const row = `| \`${path}\` | ${typeOf(schema)} | ${note.filter(Boolean).join(' ')} |`;
      const nested = schema.items?.properties
        ? rowsOf(schema.items, `${path}[].`)
        : rowsOf(schema, `${path}.`);
      return [row, ...nested];
    });
}

function formatValue(value: unknown): string {
  return Array.isArray(value) ? value.map((each) => `\`${each}\``).join(', ') : `\`${value}\``;
}

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.minimum !== undefined) return `${schema.type}, ${schema.minimum} to ${schema.maximum}`;
  if (typeof schema.additionalProperties === 'object')
    return `${schema.type} of ${typeOf(schema.additionalProperties)}`;
  return schema.type ?? 'any';
}
