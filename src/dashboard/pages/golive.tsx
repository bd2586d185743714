import { describeGate } from '../../coverage/describe.ts';
import { nextLines } from '../../coverage/next.ts';
import { MAX_COUNT } from '../../coverage/observations.ts';
import {
  countByGroup,
  isOpen,
  type Report,
  type ReportItem,
  type ReportSource,
  type Status,
} from '../../coverage/report.ts';
import type { Tone } from '../../kernel/columns.ts';
import { Command } from '../../ui/code.tsx';
import { ActionButton } from '../../ui/form.tsx';
import { DescriptionList, Details, EmptyState, PageHeader, Section } from '../../ui/layout.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Badge, Mono, Text, Timestamp } from '../../ui/text.tsx';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { EvidenceList } from '../evidence.tsx';
import { commandFor, type Page, type PageContext } from '../page.ts';

/** The go-live report of all worlds: what an integration was seen to handle, and what to try next. */
export async function golivePage(page: PageContext): Promise<Page> {
  const report = await page.context.coverage.report({});
  const by = (status: Status) => report.items.filter((item) => item.status === status);
  const unmet = by('unmet');
  const isWanted = (item: ReportItem) => item.required || item.waived;
  const optional = unmet.filter((item) => !isWanted(item));
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
          <NothingSeen page={page} />
        ) : (
          <>
            <Summary report={report} />
            <Gate page={page} report={report} />
            <Items
              page={page}
              title="Contradictions"
              id="contradictions"
              items={by('contradicted')}
            >
              Requests or webhook responses that were wrong. Later success does not remove them:
              after a fix, clear them and run your tests again.
            </Items>
            <Items page={page} title="Open items" id="open" items={unmet.filter(isWanted)}>
              Not seen yet. Try each with its commands.
            </Items>
            {optional.length > 0 && (
              <Details title={`Open, not required: ${optional.length}`} id="optional">
                {optional.map((item) => (
                  <Item page={page} item={item} />
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

/** Without a world, the call covers all of them. */
const ALL_WORLDS = { world: { name: DEFAULT_WORLD } };

function ClearButton() {
  return (
    <ActionButton
      page={ALL_WORLDS}
      call="DELETE /coverage"
      confirm="Delete all observations of all worlds? The report starts empty."
      done="Deleted the observations"
    >
      Clear
    </ActionButton>
  );
}

function NothingSeen({ page }: { page: PageContext }) {
  return (
    <EmptyState
      title="Nothing was seen yet."
      commands={[
        commandFor(page, 'request GET /api/partner/v1/availability --query domain=x.test'),
      ]}
    >
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

function Gate({ page, report: { gate, items } }: { page: PageContext; report: Report }) {
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
      <Command text={commandFor(page, 'golive --init sandlot.golive.json')} />
      <Command text={commandFor(page, 'golive --gate sandlot.golive.json --html golive.html')} />
    </Section>
  );
}

interface ItemsProps {
  page: PageContext;
  title: string;
  id: string;
  items: readonly ReportItem[];
  children: string;
}

function Items({ page, title, id, items, children }: ItemsProps) {
  if (items.length === 0) return null;
  return (
    <Section title={`${title}: ${items.length}`} id={id}>
      <p class="quiet">{children}</p>
      {items.map((item) => (
        <Item page={page} item={item} />
      ))}
    </Section>
  );
}

const TONES: Readonly<Record<Status, Tone>> = {
  contradicted: 'error',
  unmet: 'warning',
  met: 'success',
  not_applicable: 'neutral',
};

function Item({ page, item }: { page: PageContext; item: ReportItem }) {
  const { id, title, status, level, waived, contradictions } = item;
  return (
    <article class="item" id={id} data-key={id}>
      <h3>{title}</h3>
      <p>
        <Badge tone={isOpen(item) ? TONES[status] : 'neutral'}>
          {waived ? `${status}, waived` : status}
        </Badge>{' '}
        <code>{id}</code> <span class="quiet">{level}</span>
      </p>
      <EvidenceList evidence={contradictions} />
      <ol class="next">
        {nextLines(item.next).map((line) => (
          <NextLine page={page} line={line} />
        ))}
      </ol>
    </article>
  );
}

const COMMAND = 'sandlot ';

function NextLine({ page, line }: { page: PageContext; line: string }) {
  const at = line.indexOf(COMMAND);
  if (at < 0) return <li>{line.replaceAll('`', '')}</li>;
  return (
    <li>
      {line.slice(0, at)}
      <Command text={commandFor(page, line.slice(at + COMMAND.length))} />
    </li>
  );
}

const MET: Column<ReportItem>[] = [
  {
    heading: 'Item',
    kind: 'main',
    cell: ({ id, title }) => (
      <>
        {title}
        <span class="id">{id}</span>
      </>
    ),
  },
  {
    heading: 'Seen',
    kind: 'number',
    cell: ({ count }) => (count >= MAX_COUNT ? `${MAX_COUNT}+` : count),
  },
  {
    heading: 'Newest evidence',
    kind: 'wide',
    cell: ({ evidence }) => <EvidenceList evidence={evidence.slice(-1)} />,
  },
];

function Met({ items }: { items: readonly ReportItem[] }) {
  if (items.length === 0) return null;
  return (
    <Section title={`Met items: ${items.length}`} id="met">
      <Table caption="Met items" columns={MET} rows={items} keyOf={({ id }) => id} />
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
