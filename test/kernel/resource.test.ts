import { expect, test } from 'vitest';
import { type Fields, resource, schemaMetadata } from '../../src/kernel/resource.ts';

interface PersonRow {
  id: string;
  fullName: string;
  bornAt: number | null;
  pets: { name: string }[];
}

const pet = resource('Pet', 'A pet.', ({ text }: Fields<{ name: string }>) => ({ name: text() }));

const person = resource('Person', 'A person.', ({ id, text, time, list }: Fields<PersonRow>) => ({
  person_id: id('per').from((row) => row.id),
  full_name: text().specified(),
  born_at: time().nullable(),
  pets: list(pet),
}));

const ADA: PersonRow = { id: 'per_1', fullName: 'Ada', bornAt: 0, pets: [{ name: 'Byte' }] };

test('a view reads columns by name, encodes times, and nests other resources', () => {
  expect(person.view(ADA)).toEqual({
    person_id: 'per_1',
    full_name: 'Ada',
    born_at: '1970-01-01T00:00:00.000Z',
    pets: [{ name: 'Byte' }],
  });
  expect(person.view({ ...ADA, bornAt: null }).born_at).toBeNull();
});

test('a view has the fields in the order of the declaration and fits the schema', () => {
  const view = person.view(ADA);
  expect(Object.keys(view)).toEqual(['person_id', 'full_name', 'born_at', 'pets']);
  expect(person.schema().parse(view)).toEqual(view);
});

test('the schema carries the component name and the fields that the specification names', () => {
  expect(schemaMetadata.get(person.schema())).toEqual({
    id: 'Person',
    description: 'A person.',
    specified: ['full_name'],
  });
});

test('an extended resource adds its fields after those of its base', () => {
  const employee = person.extend(
    'Employee',
    'A person with a job.',
    ({ text }: Fields<PersonRow & { job: string }>) => ({ job: text() }),
  );
  expect(employee.view({ ...ADA, job: 'analyst' })).toEqual({
    ...person.view(ADA),
    job: 'analyst',
  });
});

test('an optional field that is undefined is absent from the JSON', () => {
  const shy = resource(
    'Shy',
    'A shy person.',
    ({ time }: Fields<{ seenAt: number | undefined }>) => ({
      seen_at: time().optional(),
    }),
  );
  expect(JSON.stringify(shy.view({ seenAt: undefined }))).toBe('{}');
});

test('a page lists rows and carries the cursor', () => {
  const page = person.page('PersonPage', 'people');
  expect(page.view({ rows: [ADA], next_cursor: 'abc' })).toEqual({
    people: [person.view(ADA)],
    next_cursor: 'abc',
  });
});
