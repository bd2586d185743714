import fs from 'node:fs';
import path from 'node:path';
import { gateJsonSchema, type ItemList, itemList } from './golive-fixtures.ts';

/** Writes the list of go-live items and the JSON Schema of the gate file. */
const fixtures = path.join(import.meta.dirname, '../../fixtures');
const list = path.join(fixtures, 'golive-items.json');
const published = JSON.parse(fs.readFileSync(list, 'utf8')) as ItemList;
write(list, itemList(published));
write(path.join(fixtures, 'golive.schema.json'), gateJsonSchema());

function write(file: string, content: object): void {
  fs.writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
