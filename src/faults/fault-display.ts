import { display } from '../kernel/columns.ts';
import { describeEffect, describeHits, describeMatch } from './describe-fault.ts';
import type { Fault } from './fault.ts';

/** How the CLI and the dashboard show a fault. */
export const faultDisplay = display<Fault>({
  fault_id: ['Fault', ({ fault_id }) => fault_id, 'id'],
  match: ['Match', describeMatch],
  effect: ['Effect', describeEffect],
  hits: ['Hits', describeHits, 'count'],
});
