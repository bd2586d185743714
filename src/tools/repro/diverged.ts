import { shortened } from './describe.ts';
import type { Divergence } from './outputs.ts';

/** A replay of a file, which is needed to read its state, gives another response. */
export class DivergedError extends Error {
  override readonly name = 'DivergedError';
  constructor({ input, differences: [first] }: Divergence) {
    const values = [first?.recorded, first?.replayed].map((value) =>
      value === undefined ? '(absent)' : shortened(JSON.stringify(value), 80),
    );
    const what = first?.note ?? values.join(' → ');
    super(
      `it does not replay: #${input} differs in ${shortened(first?.path ?? '')}, ${shortened(what, 200)}; run sandlot repro replay FILE`,
    );
  }
}
