import { measureImport } from '../inventory-import.mjs';
import { printTimes } from '../print.mjs';

export async function run(root, rounds) {
  const { bare, imported } = await measureImport(root, Math.min(rounds, 3));
  printTimes('import of 100,000 rows', 'bare INSERTs', bare, [
    ['CSV over HTTP, searchable', imported],
  ]);
}
