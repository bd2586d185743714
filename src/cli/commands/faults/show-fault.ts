import { effectInWords, hitsInWords, matchInWords } from '../../../faults/in-words.ts';
import type { Paper } from '../../output.ts';
import type { FaultShape } from '../../shapes.ts';

/** A fault rule for people. */
export function showFault(fault: FaultShape, paper: Paper): string {
  return paper.block([
    ['fault', fault.fault_id],
    [fault.webhook ? 'webhooks' : 'calls', matchInWords(fault)],
    ['effect', effectInWords(fault)],
    ['hits', hitsInWords(fault)],
  ]);
}
