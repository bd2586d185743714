import { expect, test } from 'vitest';
import { type Fields, resource } from '../../src/kernel/resource.ts';
import { schemaMetadata } from '../../src/kernel/schema-metadata.ts';

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

const JOBS = ['analyst', 'countess'] as const;

const shown = person
  .extend(
    'Shown',
    'A person with pay and a job.',
    ({ amount, currency, oneOf }: Fields<PersonRow & { pay: number; job: 'analyst' | null }>) => ({
      pay: amount(),
      currency: currency().from(() => 'USD'),
      job: oneOf(JOBS)
        .nullable()
        .tone((job) => (job === 'analyst' ? 'success' : 'neutral')),
    }),
  )
  .display(
    {
      person_id: 'Person',
      born_at: 'Born',
      pay: 'Pay',
      job: 'Job',
      pets: ['Pets', ({ pets }) => pets.length, 'count'],
    },
    ['person_id', 'job', 'pets', 'pay'],
  );

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

test('details have the headings in the order of the declaration, with the kind and text of each field', () => {
  const item = shown.view({ ...ADA, pay: 1234, job: 'analyst' });
  const lines = shown
    .details()
    .map(({ heading, kind, text, tone }) => [heading, kind, text(item), tone(item)]);
  expect(lines).toEqual([
    ['Person', 'id', 'per_1', 'neutral'],
    ['Born', 'time', '1970-01-01T00:00:00.000Z', 'neutral'],
    ['Pay', 'amount', '$12.34', 'neutral'],
    ['Job', 'status', 'analyst', 'success'],
    ['Pets', 'count', '1', 'neutral'],
  ]);
});

test('the text of a field without a value is undefined, and it has no tone', () => {
  const item = shown.view({ ...ADA, bornAt: null, pay: 0, job: null });
  const [, born, , job] = shown.details();
  expect([born?.text(item), job?.text(item), job?.tone(item)]).toEqual([
    undefined,
    undefined,
    'neutral',
  ]);
});

test('the columns of a list are those that it names, in its order', () => {
  expect(shown.columns().map(({ name }) => name)).toEqual(['person_id', 'job', 'pets', 'pay']);
});

test('a resource that extends another inherits its columns and adds headings', () => {
  const taller = shown
    .extend('Taller', 'Also a height.', ({ count }: Fields<never>) => ({
      height: count().from(() => 180),
    }))
    .display({ height: 'Height' });
  expect(taller.columns().map(({ heading }) => heading)).toEqual(['Person', 'Job', 'Pets', 'Pay']);
  expect(taller.details().at(-1)?.heading).toBe('Height');
});

test('a resource without a field has no column of it', () => {
  const unpaid = shown.omit('Unpaid', 'Without pay.', 'pay');
  expect(unpaid.columns().map(({ name }) => name)).toEqual(['person_id', 'job', 'pets']);
  expect(unpaid.details().map(({ name }) => name)).not.toContain('pay');
});

test('a heading of a field that does not exist is a type error', () => {
  // @ts-expect-error
  const wrong = pet.display({ weight: 'Weight' });
  expect(() => wrong.details()).toThrow('no field weight to show as "Weight"');
});
