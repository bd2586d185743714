import { measureCoverage } from '../coverage.mjs';
import { printRates } from '../print.mjs';

export async function run(root, rounds) {
  const { samples, perCpu } = await measureCoverage(root, rounds);
  print('go-live report, per second', samples);
  if (perCpu.getOn.length > 0) print('go-live report, per second of processor time', perCpu);
}

function print(title, { getOn, getOff, postOn, postOff }) {
  printRates(title, 'signed GET, coverage off', getOff, [['signed GET /pricing', getOn]]);
  printRates(title, 'signed POST, coverage off', postOff, [['signed POST /orders', postOn]]);
}
