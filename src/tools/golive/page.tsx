import { ActionButton } from '../../dashboard/actions.tsx';
import { CliCommand, EmptyState, type Page, type PageContext } from '../../dashboard/page.tsx';
import { PageHeader } from '../../ui/layout.tsx';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { goliveOf, isLogged } from './golive.ts';
import { ReportView } from './report-view.tsx';

/** The go-live report of all worlds: what an integration was seen to handle, and what to try next. */
export async function golivePage(page: PageContext): Promise<Page> {
  if (!isLogged(page.context)) return { title: 'Go-live', content: <NotLogged /> };
  const report = await goliveOf(page.context).report();
  return {
    title: 'Go-live',
    live: ['requests', 'deliveries', 'events'],
    content: (
      <>
        <PageHeader title="Go-live" actions={<ClearButton />}>
          What your integration was seen to handle, in all worlds. A rehearsal only: the marketplace
          approves production access.
        </PageHeader>
        {report.sources.every(({ requests, attempts }) => requests + attempts === 0) ? (
          <EmptyState title="Nothing was seen yet.">
            Run the tests of your integration against this sandbox. Requests of the sandlot command
            line do not count.
          </EmptyState>
        ) : (
          <ReportView
            report={report}
            command={(text) => <CliCommand text={text} />}
            gateNote={<GateNote />}
            afterFix="after a fix, clear them and run your tests again."
            howToTry="Try each with its commands."
          />
        )}
      </>
    ),
  };
}

function ClearButton() {
  return (
    // Without the name of a world, the call covers all of them.
    <ActionButton
      world={DEFAULT_WORLD}
      call="DELETE /golive/observations"
      confirm="Delete all observations of all worlds? The report starts empty."
      done="Deleted the observations"
    >
      Clear
    </ActionButton>
  );
}

function NotLogged() {
  return (
    <>
      <PageHeader title="Go-live" />
      <EmptyState title="The request log is off.">
        The report reads it: start without --request-log 0.
      </EmptyState>
    </>
  );
}

function GateNote() {
  return (
    <>
      <p class="quiet">Name the required items in a file, and check it in CI:</p>
      <CliCommand text="golive --init sandlot.golive.json" />
      <CliCommand text="golive --gate sandlot.golive.json --html golive.html" />
    </>
  );
}
