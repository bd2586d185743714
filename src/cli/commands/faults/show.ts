import type { Fault } from '../../../faults/fault.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { FIRST_FAULT } from '../../example-ids.ts';
import { showFault } from './show-fault.ts';

export const showOneFault = defineCommand({
  path: 'faults show',
  summary: 'Show a fault and how often it has hit.',
  args: { id: argument('fault id') },
  examples: [`sandlot faults show ${FIRST_FAULT}`],
  async run({ control, args, out }) {
    const path = `/faults/${encodeURIComponent(args.id)}`;
    out.result(await control().get<Fault>(path), showFault);
  },
});
