import { measureOperatorActs } from '../operator-acts.mjs';

/** Measures every operator action beside a probing client; `full` uses a world of a million domains. */
export async function run(root, _rounds, { full }) {
  for (const inventory of full ? [100_000, 1_000_000] : [100_000]) {
    console.log(`acts on a world of ${inventory} domains, and the longest response to a client`);
    for (const { name, took, longest } of await measureOperatorActs(root, inventory, 4986)) {
      console.log(`  ${name.padEnd(36)} ${took.toFixed(0)} ms, longest ${longest.toFixed(1)} ms`);
    }
  }
}
