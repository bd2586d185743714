import { expect, test } from 'vitest';
import { toOpenApi30 } from '../../src/openapi/openapi-3-0.ts';
import { apis } from '../support/openapi/documents.ts';

function converted(schema: object): unknown {
  const document = {
    openapi: '3.1.1',
    info: {},
    paths: {},
    components: { schemas: { It: schema } },
  };
  const result = toOpenApi30(document as never) as unknown as typeof document;
  return result.components.schemas.It;
}

const NULL = { type: 'object', nullable: true, enum: [null] };

test.each<[string, object, object]>([
  ['a type or null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
  [
    'several types',
    { type: ['string', 'number'] },
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
  ],
  [
    'a reference or null',
    { anyOf: [{ $ref: '#/x' }, { type: 'null' }] },
    { anyOf: [{ $ref: '#/x' }, NULL] },
  ],
  [
    'a schema or null',
    { oneOf: [{ type: 'object' }, { type: 'null' }], description: 'It' },
    { type: 'object', description: 'It', nullable: true },
  ],
  [
    'variants or null',
    { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    { anyOf: [{ type: 'string' }, { type: 'number' }, NULL] },
  ],
  [
    'a described reference',
    { $ref: '#/x', description: 'It' },
    { allOf: [{ $ref: '#/x' }], description: 'It' },
  ],
  [
    'allowed values or null',
    { type: ['string', 'null'], enum: ['a'] },
    { type: 'string', enum: ['a', null], nullable: true },
  ],
  ['a constant', { const: 'a' }, { enum: ['a'] }],
  [
    'exclusive limits',
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 9 },
    { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
  ],
  ['examples', { type: 'string', examples: ['a', 'b'] }, { type: 'string', example: 'a' }],
  [
    'nested schemas',
    { properties: { a: { items: { const: 1 } } }, additionalProperties: false },
    { properties: { a: { items: { enum: [1] } } }, additionalProperties: false },
  ],
  [
    'data that looks like a schema',
    { default: { type: ['a', 'null'] } },
    { default: { type: ['a', 'null'] } },
  ],
])('%s is written as OpenAPI 3.0 does', (_, schema, expected) => {
  expect(converted(schema)).toEqual(expected);
});

test.each([0, 1])('document %i has the same operations', (n) => {
  const document = apis()[n]?.document;
  const operations = (all: object) =>
    Object.values((all as { paths: object }).paths).flatMap((each) => Object.keys(each));
  expect(operations(toOpenApi30(document as never))).toEqual(operations(document as object));
});
