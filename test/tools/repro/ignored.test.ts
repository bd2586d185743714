import { expect, test } from 'vitest';
import { z } from 'zod';
import { IGNORED_PATHS } from '../../../src/tools/repro/operation.ts';
import { CONTROL_ENDPOINTS } from '../../support/control-endpoints.ts';

interface Schema {
  properties?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  $ref?: string;
}

/** Paths of all fields of a schema, with `[]` for each element of a list. */
function pathsIn(schema: Schema, root: Schema = schema, at = ''): string[] {
  const { $ref, anyOf = [], items, properties = {} } = schema;
  const referred = $ref && root.$defs?.[$ref.split('/').at(-1) ?? ''];
  return [
    ...(referred ? pathsIn(referred, root, at) : []),
    ...anyOf.flatMap((each) => pathsIn(each, root, at)),
    ...(items ? pathsIn(items, root, `${at}[]`) : []),
    ...Object.entries(properties).flatMap(([name, each]) => {
      const path = at === '' ? name : `${at}.${name}`;
      return [path, ...pathsIn(each, root, path)];
    }),
  ];
}

const RECORDED = CONTROL_ENDPOINTS.filter(({ method }) => method !== 'GET').map(
  ({ method, path, response }) => ({
    operation: `${method} /_sandbox${path}`,
    paths: response
      ? pathsIn(z.toJSONSchema(response.schema(), { unrepresentable: 'any' }) as Schema)
      : [],
  }),
);

test.each(
  Object.entries(IGNORED_PATHS).flatMap(([operation, paths]) =>
    paths.map((path) => [operation, path]),
  ),
)('%s has the field %s', (operation, path) => {
  expect(RECORDED.find((each) => each.operation === operation)?.paths).toContain(path);
});

test('each minted secret and each size is ignored, and nothing else than what a receiver said', () => {
  const expected = RECORDED.flatMap(({ operation, paths }) =>
    paths
      .filter((path) => /(?:^|[._])(?:secret|size_bytes|response)$/.test(path))
      .map((path) => `${operation} ${path}`),
  );
  const ignored = Object.entries(IGNORED_PATHS).flatMap(([operation, paths]) =>
    paths.map((path) => `${operation} ${path}`),
  );
  expect(ignored.toSorted()).toEqual(expected.toSorted());
});
