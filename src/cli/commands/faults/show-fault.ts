import { describeEffect, describeHits, describeMatch } from '../../../faults/describe-fault.ts';
import type { Fault } from '../../../faults/fault.ts';
import type { Paper } from '../../output.ts';

/** A fault for people. */
export function showFault(fault: Fault, paper: Paper): string {
  return paper.block([
    ['fault', fault.fault_id],
    [fault.webhook ? 'webhooks' : 'requests', describeMatch(fault)],
    ['effect', describeEffect(fault)],
    ['hits', describeHits(fault)],
  ]);
}
