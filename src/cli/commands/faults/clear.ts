import { defineCommand } from '../../command.ts';
import { optionalArgument } from '../../declare.ts';
import { FIRST_FAULT } from '../../example-ids.ts';
import type { FaultShape } from '../../shapes.ts';

export const clearFaults = defineCommand({
  path: 'faults clear',
  summary: 'Take one fault rule away, or all of them.',
  details: 'Rules of the configuration file come back at the next start or reset.',
  args: { id: optionalArgument('fault id (default: all)') },
  examples: ['sandlot faults clear', `sandlot faults clear ${FIRST_FAULT}`],
  async run({ control, args, out }) {
    if (args.id === undefined) {
      out.result(
        await control().delete<{ cleared: number }>('/faults'),
        ({ cleared }) => `${cleared} ${cleared === 1 ? 'fault' : 'faults'} cleared`,
      );
      return;
    }
    out.result(
      await control().delete<FaultShape>(`/faults/${encodeURIComponent(args.id)}`),
      ({ fault_id }) => `fault ${fault_id} is gone`,
    );
  },
});
