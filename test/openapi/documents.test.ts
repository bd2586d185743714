import { expect, test } from 'vitest';
import { commandLine } from '../cli/command-line.ts';
import { CONTROL_ENDPOINTS } from '../support/control-endpoints.ts';
import { SPECIFIED_ENDPOINTS } from '../support/endpoints.ts';
import { apis, BASE_URL, type Document } from '../support/openapi/documents.ts';
import { sandbox } from '../support/sandbox.ts';

const [partner, control] = apis().map(({ document }) => document) as [Document, Document];
const operationsOf = ({ paths }: Document) =>
  Object.values(paths).flatMap((path) => Object.values(path));

test('the partner document has every endpoint of the specification, and no other', () => {
  const documented = Object.entries(partner.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const specified = SPECIFIED_ENDPOINTS.map(
    ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(documented.toSorted()).toEqual(specified.toSorted());
});

test('names of operations are unique in each document', () => {
  for (const document of [partner, control]) {
    const names = operationsOf(document).map(({ operationId }) => operationId);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
  }
});

test('the bodies that may be larger than 1 MiB are those of imports', () => {
  const unlimited = operationsOf(control).filter(({ responses }) => !('413' in responses));
  const names = unlimited.map(({ operationId }) => operationId);
  expect(names.toSorted()).toEqual(['importWorld', 'postImport']);
});

test('every route of the control API declares its response', () => {
  const silent = CONTROL_ENDPOINTS.filter((each) => !each.response && !each.streamTypes);
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('a running sandbox serves both documents, with its own address in them', async () => {
  const at = await sandbox({ port: 0 });
  for (const [api, server] of [
    ['partner', at.url],
    ['control', `${at.url}/_sandbox`],
  ] as const) {
    const response = await fetch(`${at.url}/_sandbox/openapi.json?api=${api}`);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.1', servers: [{ url: server }] });
    expect(text).not.toContain(BASE_URL);
  }
});

test('`sandlot openapi` prints what the sandbox serves', async () => {
  const at = await sandbox();
  for (const [line, api] of [
    ['openapi', 'partner'],
    ['openapi --control', 'control'],
  ] as const) {
    const served = await at.control.get('/openapi.json', { api });
    expect((await commandLine(at)(line)).json()).toEqual(served);
  }
});

test('every operation of the partner document has a description that says more than its summary', () => {
  for (const operation of operationsOf(partner)) {
    expect(operation.description, operation.operationId).toBeTruthy();
    expect(operation.description, operation.operationId).not.toBe(operation.summary);
  }
});

test('every parameter of both documents has a description, and the world no default: without one, GET /golive covers all', () => {
  for (const operation of [partner, control].flatMap(operationsOf)) {
    for (const parameter of (operation as { parameters?: Parameter[] }).parameters ?? []) {
      expect(parameter.description?.trim(), operation.operationId).toBeTruthy();
      if (parameter.name === 'world') expect(parameter.schema).toEqual({ type: 'string' });
    }
  }
});

test('/openapi.json leads to the document of the partner API', async () => {
  const at = await sandbox({ port: 0 });
  const response = await fetch(`${at.url}/openapi.json`);
  expect(response.url).toBe(`${at.url}/_sandbox/openapi.json`);
  expect(await response.json()).toEqual(await at.control.get('/openapi.json'));
});

test('every amount of both documents is a 64-bit integer', () => {
  for (const document of [partner, control]) {
    const amounts = schemasIn(document).filter(([name]) =>
      /_cents$|^expected_price$|^budget$/.test(name),
    );
    expect(amounts.length).toBeGreaterThan(10);
    for (const [name, { type, anyOf, format }] of amounts) {
      const inner = (anyOf as Schema[] | undefined)?.find((each) => each.type === 'integer');
      expect([type ?? inner?.type].flat(), name).toContain('integer');
      expect(format ?? inner?.format, name).toBe('int64');
    }
  }
});

test('no schema of both documents has what generators make a tuple of, or a negative constant', () => {
  for (const document of [partner, control]) {
    for (const [name, schema] of schemasIn(document)) {
      expect(schema, name).not.toHaveProperty('maxItems');
      expect(Number(schema.const ?? 0), name).toSatisfy((value) => !(value < 0));
    }
  }
});

type Schema = Record<string, unknown>;

/** Every object in the document by its key: of a schema, the name of its field. Examples are left out. */
function schemasIn(value: unknown, name = ''): [name: string, schema: Schema][] {
  if (Array.isArray(value)) return value.flatMap((each) => schemasIn(each, name));
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).filter(([key]) => !/^examples?$/.test(key));
  return [[name, value as Schema], ...inner.flatMap(([key, each]) => schemasIn(each, key))];
}

test('there is no document of another API', async () => {
  const at = await sandbox();
  await expect(at.control.get('/openapi.json', { api: 'back' })).rejects.toThrow('api: ');
});

test('what the specification names is not marked as a choice, what it leaves open is', () => {
  const { properties } = partner.components.schemas.Order as { properties: Record<string, object> };
  const specified = Object.keys(properties).filter(
    (name) => !('x-emulator-choice' in (properties[name] ?? {})),
  );
  // Specification, "Order".
  expect(specified).toEqual(['public_id', 'domain', 'status', 'sale_price_cents', 'currency']);
  expect(chosenParameters('/api/partner/v1/events')).toEqual([]);
  expect(chosenParameters('/api/partner/v1/orders')).toEqual(['from', 'to', 'cursor', 'limit']);
  expect(partner.paths['/api/partner/v1/links']?.get).toHaveProperty('x-emulator-choice', true);
  expect(JSON.stringify(control).includes('x-emulator-choice')).toBe(false);
});

function chosenParameters(path: string): string[] {
  const { parameters = [] } = (partner.paths[path]?.get ?? {}) as { parameters?: Parameter[] };
  return parameters.filter((each) => each['x-emulator-choice']).map(({ name }) => name);
}

interface Parameter {
  name: string;
  schema?: object;
  description?: string;
  'x-emulator-choice'?: true;
}
