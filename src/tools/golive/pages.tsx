import type { Child } from 'hono/jsx';
import { ActionButton } from '../../dashboard/actions.tsx';
import {
  CliCommand,
  EmptyState,
  Link,
  type Page,
  type PageContext,
  type ToolPages,
  urlFor,
} from '../../dashboard/page.tsx';
import { PageHeader, Section } from '../../ui/layout.tsx';
import { Mono } from '../../ui/text.tsx';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { describeGate } from './describe.ts';
import { goliveOf, isLogged } from './golive.ts';
import type { Report, ReportEvidence } from './report.ts';
import { ReportView } from './report-view.tsx';
import { STYLES } from './styles.ts';

/** Reports by page, so that a page with many ids makes only one. */
const reports = new WeakMap<PageContext, Promise<Report>>();

async function itemsAbout(page: PageContext, id: string) {
  const report = reports.get(page) ?? goliveOf(page.context).report();
  reports.set(page, report);
  const rests = (pieces: readonly ReportEvidence[]) =>
    pieces.some((piece) => {
      return piece.world === page.world.name && (piece.id === id || piece.text.includes(id));
    });
  return (await report).items.flatMap((item) => {
    if (rests(item.contradictions)) return [{ ...item, what: 'contradicts' }];
    return rests(item.evidence) ? [{ ...item, what: 'meets' }] : [];
  });
}

/** Lists the items of the go-live report whose evidence names a request, delivery or event. */
async function evidenceList(page: PageContext, id: string): Promise<Child> {
  if (!isLogged(page.context)) return null;
  const items = await itemsAbout(page, id);
  if (items.length === 0) return null;
  return (
    <ul class="evidence">
      {items.map((item) => (
        <li>
          {item.what}{' '}
          <a href={`${urlFor(page, '/dashboard/go-live')}#${item.id}`}>
            <Mono>{item.id}</Mono>
          </a>
          : {item.title}
        </li>
      ))}
    </ul>
  );
}

async function evidenceSection(page: PageContext, id: string): Promise<Child> {
  const list = await evidenceList(page, id);
  return (
    list && (
      <Section title="Go-live" id="golive">
        {list}
      </Section>
    )
  );
}

/** Shows the totals of the report on the overview. */
async function figures(page: PageContext): Promise<Child> {
  if (!isLogged(page.context)) return null;
  const report = await goliveOf(page.context).report();
  const { met, contradicted } = report.totals;
  const applying = report.items.filter(({ status }) => status !== 'not_applicable').length;
  return (
    <Section title="Go-live" id="golive" actions={<Link to="/dashboard/go-live">Report</Link>}>
      <p>
        <b>{met}</b> of {applying} items met
        {contradicted > 0 && (
          <>
            ,{' '}
            <a href={`${urlFor(page, '/dashboard/go-live')}#contradictions`}>
              {contradicted} contradicted
            </a>
          </>
        )}
        .
      </p>
      <p class="quiet">{describeGate(report)}</p>
    </Section>
  );
}

/** Renders the go-live report of all worlds. */
async function golivePage(page: PageContext): Promise<Page> {
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
    // The call of the default world names no world, so it covers all worlds.
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

export const golivePages: ToolPages = {
  styles: STYLES,
  menu: [{ path: '/dashboard/go-live', name: 'Go-live', shortcut: 'l', render: golivePage }],
  sections: {
    '/': figures,
    '/dashboard/requests/:id': evidenceSection,
    '/dashboard/deliveries/:id': evidenceSection,
    '/dashboard/events': evidenceList,
  },
};
