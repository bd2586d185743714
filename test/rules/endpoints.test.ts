import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/index.ts';
import { SPECIFIED_ENDPOINTS } from '../support/endpoints.ts';

test('the endpoints are those of the specification, with their scopes and rate classes', () => {
  const declared = ENDPOINTS.map(({ method, path, scopes, rateClass, affiliate = false }) =>
    JSON.stringify([method, path, scopes.toSorted(), rateClass, affiliate]),
  );
  const told = SPECIFIED_ENDPOINTS.map(({ method, path, scopes, rateClass, affiliate = false }) =>
    JSON.stringify([method, path, scopes.toSorted(), rateClass, affiliate]),
  );
  expect(declared.toSorted()).toEqual(told.toSorted());
});
