import { ActionButton } from '../../dashboard/actions.tsx';
import { CliCommand, EmptyState, type Page, type PageContext } from '../../dashboard/page.tsx';
import { DescriptionList, Details, PageHeader, Section } from '../../ui/layout.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Badge, Mono, Text, Timestamp } from '../../ui/text.tsx';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { describeGate } from './describe.ts';
import { goliveOf, isLogged } from './golive.ts';
import type { Status } from './item.ts';
import { Item, Items, Met } from './page-items.tsx';
import { countByGroup, isOptional, type Report, type ReportSource } from './report.ts';

/** The go-live report of all worlds: what an integration was seen to handle, and what to try next. */
export async function golivePage(page: PageContext): Promise<Page> {
  if (!isLogged(page.context)) return { title: 'Go-live', content: <NotLogged /> };
  const report = await goliveOf(page.context).report();
  const by = (status: Status) => report.items.filter((item) => item.status === status);
  const unmet = by('unmet');
  const optional = unmet.filter(isOptional);
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
          <NothingSeen />
        ) : (
          <>
            <Summary report={report} />
            <Gate report={report} />
            <Items title="Contradictions" id="contradictions" items={by('contradicted')}>
              Requests or webhook responses that were wrong. Later success does not remove them:
              after a fix, clear them and run your tests again.
            </Items>
            <Items title="Open items" id="open" items={unmet.filter((item) => !isOptional(item))}>
              Not seen yet. Try each with its commands.
            </Items>
            {optional.length > 0 && (
              <Details title={`Open, not required: ${optional.length}`} id="optional">
                {optional.map((item) => (
                  <Item item={item} />
                ))}
              </Details>
            )}
            <Met items={by('met')} />
            <Sources sources={report.sources} />
          </>
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

function NothingSeen() {
  return (
    <EmptyState title="Nothing was seen yet.">
      Run the tests of your integration against this sandbox. Requests of the sandlot command line
      do not count.
    </EmptyState>
  );
}

function Summary({ report }: { report: Report }) {
  const { features, gate, ignored } = report;
  const names = (use: string) =>
    Object.entries(features).flatMap(([name, each]) => (each === use ? [name] : []));
  return (
    <section class="card" aria-label="Summary">
      <p class="outcome">
        <Badge tone={gate.passed ? 'success' : 'error'}>{describeGate(report)}</Badge>
      </p>
      <ul class="groups">
        {countByGroup(report).map(({ group, met, applying }) => (
          <li class={met === applying ? 'complete' : undefined}>
            <span>{group}</span>{' '}
            <b>
              {met}/{applying}
            </b>
          </li>
        ))}
      </ul>
      <DescriptionList
        items={[
          ['Used', names('used').join(', ') || 'nothing'],
          ['Not used', names('not_used').join(', ') || null],
          ['Ignored', ignored.length > 0 && <Text>{ignored.join(', ')}</Text>],
        ]}
      />
    </section>
  );
}

/** How many failed items are named; each is described below. */
const MAX_FAILED = 12;

function Gate({ report: { gate, items } }: { report: Report }) {
  const more = gate.failed.length - MAX_FAILED;
  const isWrong = new Set(items.flatMap((each) => (each.status === 'contradicted' ? each.id : [])));
  const failed = gate.failed.toSorted((a, b) => Number(isWrong.has(b)) - Number(isWrong.has(a)));
  return (
    <Section title="Gate" id="gate">
      {gate.failed.length > 0 && (
        <p>
          Failed:{' '}
          {failed.slice(0, MAX_FAILED).map((id, n) => (
            <>
              {n > 0 && ', '}
              <a href={`#${id}`}>
                <Mono>{id}</Mono>
              </a>
            </>
          ))}
          {more > 0 && ` and ${more} more`}.
        </p>
      )}
      <p class="quiet">
        Here, every <code>must</code> item that applies is required. Name the items in a file, and
        check it in CI:
      </p>
      <CliCommand text="golive --init sandlot.golive.json" />
      <CliCommand text="golive --gate sandlot.golive.json --html golive.html" />
    </Section>
  );
}

const SOURCES: Column<ReportSource>[] = [
  { heading: 'Run', kind: 'main', cell: ({ run, label }) => <Mono>{label ?? run}</Mono> },
  { heading: 'Worlds', cell: ({ worlds }) => <Text>{worlds.join(', ')}</Text> },
  { heading: 'Requests', kind: 'number', cell: ({ requests }) => requests },
  { heading: 'Webhook attempts', kind: 'number', cell: ({ attempts }) => attempts },
  { heading: 'From', cell: ({ from }) => from && <Timestamp at={from} /> },
  { heading: 'To', cell: ({ to }) => to && <Timestamp at={to} /> },
];

function Sources({ sources }: Pick<Report, 'sources'>) {
  return (
    <Section title="Sources" id="sources">
      <Table caption="Sources" columns={SOURCES} rows={sources} keyOf={({ run }) => run} />
    </Section>
  );
}
