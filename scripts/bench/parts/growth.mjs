import { measureGrowth } from '../growth.mjs';
import { median } from '../print.mjs';

export async function run(root, _rounds, { full }) {
  const { sizes, samples } = await measureGrowth(root, full);
  const [fewest, ...more] = sizes.map((size) => size.toLocaleString('en'));
  const head = more.map((size) => size.padStart(12)).join('');
  console.log(
    'cost of a request by the number of orders, in process, signed; the fewest are the baseline',
  );
  console.log(`  ${''.padEnd(42)}${fewest.padStart(12)}${head}`);
  for (const [name, [few, ...grown]] of Object.entries(samples)) {
    const base = median(few);
    const ratios = grown.map((each) => `${(median(each) / base).toFixed(2)} x`.padStart(12));
    console.log(`  ${name.padEnd(42)}${`${base.toFixed(2)} ms`.padStart(12)}${ratios.join('')}`);
  }
}
