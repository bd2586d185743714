import type { BodyVariant } from '../http/endpoint.ts';
import type { Components, Json } from './json-schema.ts';

/** A body as any of the ways to fill it in, each a component of its own. */
export function variantSchemas(
  whole: Json,
  variants: readonly BodyVariant[],
  components: Components,
): Json {
  for (const { name, says, required, fixed = {} } of variants) {
    const needed = [...((whole.required as string[] | undefined) ?? []), ...required];
    const properties = Object.entries(whole.properties as Record<string, Json>);
    components.set(name, {
      ...whole,
      description: says,
      properties: Object.fromEntries(
        properties.map(([member, schema]) => {
          const value = fixed[member];
          if (value !== undefined) return [member, { ...schema, enum: undefined, const: value }];
          return [member, needed.includes(member) ? withoutNull(schema) : schema];
        }),
      ),
      required: needed,
    });
  }
  return { anyOf: variants.map(({ name }) => ({ $ref: `#/components/schemas/${name}` })) };
}

/** A member that is required may not be null either. */
function withoutNull({ anyOf, ...schema }: Json): Json {
  if (Array.isArray(schema.type)) {
    const [type] = schema.type.filter((each) => each !== 'null');
    return { ...schema, type };
  }
  const [only, ...others] = ((anyOf ?? []) as Json[]).filter((each) => each.type !== 'null');
  if (only === undefined) return schema;
  return others.length === 0 ? { ...schema, ...only } : { ...schema, anyOf: [only, ...others] };
}
