import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { apis, BASE_URL } from '../support/openapi/documents.ts';
import { redocly } from '../support/openapi/redocly.ts';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';

async function lint(file: string): Promise<{ totals: object; problems: { message: string }[] }> {
  const config = path.join(ROOT, 'redocly.yaml');
  return JSON.parse(await redocly('lint', '--config', config, '--format', 'json', file));
}

test.each(['partner', 'control'])(
  'Redocly finds nothing to say of the %s document',
  async (api) => {
    const document = apis()[api === 'partner' ? 0 : 1]?.document;
    const file = path.join(emptyDirectory(), 'openapi.json');
    fs.writeFileSync(file, JSON.stringify(document));
    const { totals, problems } = await lint(file);
    expect(problems.map(({ message }) => message)).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  },
);

test('Redocly would say so if an example did not fit its schema', async () => {
  const [partner] = apis();
  const text = JSON.stringify(partner?.document).replaceAll('"order_count":1', '"order_count":"1"');
  expect(text).toContain(BASE_URL);
  const file = path.join(emptyDirectory(), 'openapi.json');
  fs.writeFileSync(file, text);
  expect((await lint(file)).problems).not.toEqual([]);
});
