import { effectInWords, hitsInWords, matchInWords } from '../../../faults/in-words.ts';
import { defineCommand } from '../../command.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import type { FaultShape, Page } from '../../shapes.ts';

export const listFaults = defineCommand({
  path: 'faults list',
  summary: 'The fault rules of a world, in the order in which they are asked.',
  options: PAGE_OPTIONS,
  examples: ['sandlot faults list', 'sandlot faults list --world default --json'],
  async run({ control, options, out }) {
    const page = await control().get<Page & { faults: FaultShape[] }>('/faults', options);
    out.result(page, ({ faults }, { table, paint }) =>
      faults.length === 0
        ? paint.faint('no faults')
        : table(
            [
              { heading: 'FAULT', cell: (each) => each.fault_id, whole: true },
              { heading: 'WHAT', cell: matchInWords },
              { heading: 'EFFECT', cell: effectInWords },
              { heading: 'HITS', cell: hitsInWords, align: 'right' },
            ],
            faults,
          ),
    );
    tellNextPage(out, page);
  },
});
