import type { Child } from 'hono/jsx';
import { DescriptionList, Details, Section } from '../../ui/layout.tsx';
import { type Column, column, Table } from '../../ui/table.tsx';
import { Badge, Mono, Text, Timestamp } from '../../ui/text.tsx';
import { COMMAND, type ItemStatus, isCommand } from './item.ts';
import {
  countByGroup,
  describeDropped,
  describeGate,
  isEmpty,
  isOptional,
  type Report,
  type ReportEvidence,
  type ReportItem,
} from './report.ts';

interface ReportViewProps {
  report: Report;
  /** Renders a command, without `sandlot`. */
  command(text: string): Child;
  /** Follows the description of the gate. */
  gateNote?: Child;
  /** Explains how to run the commands of open items. */
  howToTry: string;
}

/** Renders the parts of a report, on the dashboard and in a file. */
export function ReportView({ report, command, gateNote, howToTry }: ReportViewProps) {
  const withStatus = (status: ItemStatus) => report.items.filter((item) => item.status === status);
  const unmet = withStatus('unmet');
  const met = withStatus('met');
  const optional = unmet.filter(isOptional);
  const required = unmet.filter((item) => !isOptional(item));
  const show = (items: readonly ReportItem[]) =>
    items.map((item) => <Item item={item} command={command} />);
  const section = (title: string, id: string, items: readonly ReportItem[], text: string) =>
    items.length > 0 && (
      <Section title={`${title}: ${items.length}`} id={id}>
        <p class="quiet">{withCode(text)}</p>
        {show(items)}
      </Section>
    );
  return (
    <>
      <Summary report={report} />
      <Gate report={report}>{gateNote}</Gate>
      {section(
        'Contradictions',
        'contradictions',
        withStatus('contradicted'),
        'Requests or webhook responses that were wrong. Later success does not remove them: after a fix, run `sandlot requests clear`, and the tests again.',
      )}
      {section('Open items', 'open', required, `Not seen yet. ${howToTry}`)}
      {optional.length > 0 && (
        <Details title={`Open, not required: ${optional.length}`} id="optional">
          {show(optional)}
        </Details>
      )}
      {met.length > 0 && (
        <Details title={`Met items: ${met.length}`} id="met">
          <Table caption="Met items" columns={MET_COLUMNS} rows={met} keyOf={({ id }) => id} />
        </Details>
      )}
      <Seen report={report} />
    </>
  );
}

function Summary({ report }: { report: Report }) {
  const tone = isEmpty(report) ? 'neutral' : report.gate.passed ? 'success' : 'error';
  return (
    <section class="card" aria-label="Summary">
      <p class="outcome">
        <Badge tone={tone}>{describeGate(report)}</Badge>
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
          ['Used', report.used.join(', ') || 'nothing'],
          ['Not used', report.not_used.join(', ') || null],
        ]}
      />
    </section>
  );
}

function Gate({ report: { gate }, children }: { report: Report; children: Child }) {
  return (
    <Section title="Gate" id="gate">
      <p class="quiet">
        {gate.file === null ? (
          <>
            No gate file: every <code>must</code> item that applies is required.
          </>
        ) : (
          <Mono>{gate.file}</Mono>
        )}
      </p>
      {children}
    </Section>
  );
}

/** Renders an item with its evidence and commands; closed, unless requests contradict it. */
function Item({ item, command }: { item: ReportItem } & Pick<ReportViewProps, 'command'>) {
  const { id, title, status, level, accepted, contradictions } = item;
  return (
    <details class="item" id={id} data-key={id} open={contradictions.length > 0}>
      <summary>
        <h3>{title}</h3>{' '}
        {status === 'contradicted' && (
          <Badge tone={accepted === null ? 'error' : 'neutral'}>
            {accepted === null ? 'contradicted' : 'contradicted, accepted'}
          </Badge>
        )}{' '}
        <code>{id}</code> <span class="quiet">{level}</span>
      </summary>
      {accepted !== null && (
        <p>
          Accepted: <Text>{accepted}</Text>
        </p>
      )}
      <EvidenceList evidence={contradictions} />
      <ol class="next">
        {item.next.map((step) => (
          <li>{isCommand(step) ? command(step.slice(COMMAND.length)) : withCode(step)}</li>
        ))}
      </ol>
    </details>
  );
}

function withCode(text: string): Child[] {
  return text.split('`').map((part, n) => (n % 2 === 0 ? part : <code>{part}</code>));
}

function EvidenceList({ evidence }: { evidence: readonly ReportEvidence[] }) {
  if (evidence.length === 0) return null;
  return (
    <ul class="evidence">
      {evidence.map((piece) => (
        <li>
          <Piece piece={piece} />
        </li>
      ))}
    </ul>
  );
}

/** Renders a piece of evidence, with a link if the log still has its request. */
function Piece({ piece: { id, href, text, world, at } }: { piece: ReportEvidence }) {
  const name = id !== null && <Mono>{id}</Mono>;
  return (
    <>
      {href === null ? name : <a href={href}>{name}</a>} <Text>{text}</Text>{' '}
      <span class="quiet small">
        {world !== 'default' && (
          <>
            <Text>{world}</Text>,{' '}
          </>
        )}
        <Timestamp at={at} />
      </span>
    </>
  );
}

const MET_COLUMNS: Column<ReportItem>[] = [
  column('Item', 'main', ({ id, title }) => (
    <>
      {title}
      <span class="id" id={id}>
        {id}
      </span>
    </>
  )),
  column('Seen', 'number', ({ count }) => count),
  column('Newest evidence', 'wide', ({ evidence }) => (
    <EvidenceList evidence={evidence.slice(-1)} />
  )),
];

/** Says what the report is made of. */
function Seen({ report }: { report: Report }) {
  const { worlds, requests, attempts } = report;
  return (
    <Section title="Seen" id="seen">
      <DescriptionList
        items={[
          ['Worlds', <Text>{worlds.join(', ')}</Text>],
          ['Requests', requests],
          ['Webhook attempts', attempts],
        ]}
      />
      {describeDropped(report) && <p class="quiet">{describeDropped(report)}</p>}
    </Section>
  );
}
