import {
  CliCommand,
  EmptyState,
  type PageContext,
  type RenderedPage,
  type ToolPages,
} from '../../dashboard/page.tsx';
import { PageHeader } from '../../ui/layout.tsx';
import { reportOf } from './endpoints.ts';
import { isEmpty, NOTHING_SEEN, REHEARSAL } from './report.ts';
import { ReportView } from './report-view.tsx';
import { STYLES } from './styles.ts';

/** Renders the go-live report of all worlds. */
async function golivePage(page: PageContext): Promise<RenderedPage> {
  const report = await reportOf(page.context);
  return {
    title: 'Go-live',
    content: (
      <>
        <PageHeader title="Go-live">
          What your integration was seen to handle, in all worlds. {REHEARSAL}
        </PageHeader>
        {isEmpty(report) ? (
          <EmptyState title={NOTHING_SEEN}>
            Run the tests of your integration against this sandbox. Requests of the sandlot command
            line do not count.
          </EmptyState>
        ) : (
          <ReportView report={report} command={(text) => <CliCommand text={text} />}>
            <p class="quiet">Name the required items in a file, and check it in CI:</p>
            <CliCommand text="golive --init sandlot.golive.json" allWorlds />
            <CliCommand text="golive --gate sandlot.golive.json --html golive.html" allWorlds />
          </ReportView>
        )}
      </>
    ),
  };
}

export const golivePages: ToolPages = {
  styles: STYLES,
  menu: [{ path: '/dashboard/go-live', name: 'Go-live', render: golivePage }],
};
