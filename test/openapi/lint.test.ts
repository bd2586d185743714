import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { apis, BASE_URL } from '../support/openapi/documents.ts';
import { redocly } from '../support/openapi/redocly.ts';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';

interface Linted {
  totals: { errors: number; warnings: number };
  problems: { message: string; location: unknown[] }[];
}

/** What Redocly has to say of each document, in one process. */
async function lint(documents: readonly string[]): Promise<Linted[]> {
  const folder = emptyDirectory();
  const files = documents.map((text, n) => {
    const file = path.join(folder, `openapi-${n}.json`);
    fs.writeFileSync(file, text);
    return file;
  });
  const config = path.join(ROOT, 'redocly.yaml');
  const printed = await redocly('lint', '--config', config, '--format', 'json', ...files);
  return JSON.parse(`[${printed.replaceAll('\n}{\n', '\n},{\n')}]`);
}

test('Redocly finds nothing to say of the documents, and would of an example that does not fit', async () => {
  const documents = apis().map(({ document }) => JSON.stringify(document));
  const [partner = ''] = documents;
  const wrong = partner.replaceAll('"order_count":1', '"order_count":"1"');
  expect(wrong).toContain(BASE_URL);
  const linted = await lint([...documents, wrong]);
  expect(linted.map(({ totals: { errors, warnings } }) => errors + warnings > 0)).toEqual([
    ...documents.map(() => false),
    true,
  ]);
  const problems = linted.slice(0, -1).flatMap((each) => each.problems);
  expect(problems.map(({ message, location }) => [message, location[0]])).toEqual([]);
});
