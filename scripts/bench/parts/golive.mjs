import { measureGolive } from '../golive.mjs';
import { printRates } from '../print.mjs';

export async function run(root, rounds) {
  const { samples, perCpu } = await measureGolive(root, rounds);
  print('go-live report, per second', samples);
  if (perCpu.getOn.length > 0) print('go-live report, per second of processor time', perCpu);
}

function print(title, { getOn, getOff, postOn, postOff }) {
  printRates(title, 'signed GET, golive off', getOff, [['signed GET /pricing', getOn]]);
  printRates(title, 'signed POST, golive off', postOff, [['signed POST /orders', postOn]]);
}
