import { timeLine } from '../print.mjs';
import { measureSearch } from '../search.mjs';

export function run(root) {
  for (const inventory of [5_000, 100_000, 1_000_000]) {
    const { seeding, bare, memory, pricing, ...took } = measureSearch(root, inventory);
    const megabytes = (memory / 1_000_000).toFixed(0);
    console.log(`search among ${inventory.toLocaleString('en')} domains, in process, signed`);
    console.log(`  seeding, at most ${megabytes} MB of memory; bare INSERTs ${bare.toFixed(0)} ms`);
    console.log(timeLine('  on disk, index included', seeding, bare));
    console.log(`  a query, of some 600; GET /pricing ${pricing.toFixed(2)} ms`);
    for (const [name, value] of Object.entries(took)) {
      console.log(timeLine(`  ${name}`, value, pricing));
    }
  }
}
