import { printTimes } from '../print.mjs';
import { measureSnapshots } from '../snapshots.mjs';

export async function run(root, rounds) {
  for (const inventory of [5_000, 100_000]) {
    const { samples, bytes } = await measureSnapshots(root, inventory, rounds);
    const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
    printTimes(
      `a world of ${inventory.toLocaleString('en')} domains, ${size}, over HTTP`,
      'copying a file of that size',
      samples.copy,
      [
        ['reset', samples.reset],
        ['fork', samples.fork],
        ['snapshot save', samples.save],
        ['snapshot restore', samples.restore],
      ],
    );
  }
}
