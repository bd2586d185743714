import { measureGolive } from '../golive.mjs';
import { printCosts, printRates } from '../print.mjs';

export async function run(root, rounds) {
  const { getOn, getOff, postOn, postOff } = await measureGolive(root, rounds);
  for (const [print, measure] of [
    [printRates, 'rate'],
    // CPU time varies less on a shared machine.
    [printCosts, 'cpu'],
  ]) {
    print('go-live report, signed GET', 'off', getOff[measure], [['on', getOn[measure]]]);
    print('go-live report, signed POST /orders', 'off', postOff[measure], [
      ['on', postOn[measure]],
    ]);
  }
}
