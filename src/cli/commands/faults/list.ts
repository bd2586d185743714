import { describeEffect, describeHits, describeMatch } from '../../../faults/describe-fault.ts';
import type { Fault } from '../../../faults/fault.ts';
import type { PageOf } from '../../../kernel/resource.ts';
import { defineCommand } from '../../command.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';

export const listFaults = defineCommand({
  path: 'faults list',
  summary: 'List faults, in the order in which they are matched.',
  options: PAGE_OPTIONS,
  examples: ['sandlot faults list', 'sandlot faults list --world default --json'],
  async run({ control, options, out }) {
    const page = await control().get<PageOf<'faults', Fault>>('/faults', options);
    out.result(page, ({ faults }, { table, paint }) =>
      faults.length === 0
        ? paint.faint('no faults')
        : table(
            [
              { heading: 'FAULT', cell: (each) => each.fault_id, whole: true },
              { heading: 'MATCH', cell: describeMatch },
              { heading: 'EFFECT', cell: describeEffect },
              { heading: 'HITS', cell: describeHits, align: 'right' },
            ],
            faults,
          ),
    );
    tellNextPage(out, page);
  },
});
