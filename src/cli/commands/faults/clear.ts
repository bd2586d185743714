import type { Fault } from '../../../faults/fault.ts';
import { defineCommand } from '../../command.ts';
import { optionalArgument } from '../../declare.ts';
import { FIRST_FAULT } from '../../example-ids.ts';

export const clearFaults = defineCommand({
  path: 'faults clear',
  summary: 'Delete a fault, or all faults.',
  details: 'Faults of the configuration file are added again at the next start or reset.',
  args: { id: optionalArgument('fault id (default: all)') },
  examples: ['sandlot faults clear', `sandlot faults clear ${FIRST_FAULT}`],
  async run({ control, args, out }) {
    if (args.id === undefined) {
      out.result(
        await control().delete<{ cleared: number }>('/faults'),
        ({ cleared }) => `Deleted ${cleared} ${cleared === 1 ? 'fault' : 'faults'}`,
      );
      return;
    }
    out.result(
      await control().delete<Fault>(`/faults/${encodeURIComponent(args.id)}`),
      ({ fault_id }) => `Deleted fault ${fault_id}`,
    );
  },
});
