import { expect, test } from 'vitest';
import type { z } from 'zod';
import { ENDPOINTS } from '../../src/api/index.ts';
import { CONTROL_ENDPOINTS } from '../support/control-endpoints.ts';

const NOT_TEXT = ['a\u0000b', 'a\nb', 'a\u007fb', 'a\u0085b', 'a\ud800', '\udc00a'];

/** The fields of an object schema, nested ones too, by path. */
function fieldsOf(schema: z.ZodType, path = ''): [path: string, field: z.ZodType][] {
  const { innerType, shape } = schema._zod.def as {
    innerType?: z.ZodType;
    shape?: Record<string, z.ZodType>;
  };
  if (innerType) return fieldsOf(innerType, path);
  if (!shape) return [[path, schema]];
  return Object.entries(shape).flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`));
}

const apis = { partner: ENDPOINTS, control: CONTROL_ENDPOINTS };

test.each(['partner', 'control'] as const)(
  'no text field of the %s API takes control characters or unpaired surrogates',
  (api) => {
    const taken: string[] = [];
    let fields = 0;
    for (const { method, path, query, body } of apis[api]) {
      for (const schema of [query, body]) {
        if (!schema) continue;
        for (const [name, field] of fieldsOf(schema)) {
          fields += 1;
          for (const text of NOT_TEXT) {
            const value = field._zod.def.type === 'array' ? [text] : text;
            // An import of a world or a fault may take anything; what is text there is checked where it is read.
            if (field.safeParse(value).success) taken.push(`${method} ${path} ${name}`);
          }
        }
      }
    }
    expect(fields).toBeGreaterThan(30);
    expect([...new Set(taken)]).toEqual([]);
  },
);
