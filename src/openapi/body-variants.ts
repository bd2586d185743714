import type { BodyVariant } from '../http/endpoint.ts';
import type { Components, Json } from './json-schema.ts';

export function variantSchemas(
  whole: Json,
  variants: readonly BodyVariant[],
  components: Components,
): Json {
  for (const { name: component, description, required, fixed = {} } of variants) {
    const needed = [...((whole.required as string[] | undefined) ?? []), ...required];
    const properties = Object.entries(whole.properties as Record<string, Json>);
    components.set(component, {
      ...whole,
      description,
      properties: Object.fromEntries(
        properties.map(([name, schema]) => {
          const value = fixed[name];
          if (value !== undefined) return [name, { ...schema, enum: undefined, const: value }];
          return [name, needed.includes(name) ? withoutNull(schema) : schema];
        }),
      ),
      required: needed,
    });
  }
  return { anyOf: variants.map(({ name }) => ({ $ref: `#/components/schemas/${name}` })) };
}

/** A required field cannot be null. */
function withoutNull({ anyOf, ...schema }: Json): Json {
  if (Array.isArray(schema.type)) {
    const [type] = schema.type.filter((each) => each !== 'null');
    return { ...schema, type };
  }
  const [only, ...others] = ((anyOf ?? []) as Json[]).filter((each) => each.type !== 'null');
  if (only === undefined) return schema;
  return others.length === 0 ? { ...schema, ...only } : { ...schema, anyOf: [only, ...others] };
}
