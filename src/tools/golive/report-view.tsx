import type { Child } from 'hono/jsx';
import { DescriptionList, Details, Section } from '../../ui/layout.tsx';
import { type Column, column, Table } from '../../ui/table.tsx';
import { Badge, escapeInvisibleInLine, Mono, Text, Timestamp } from '../../ui/text.tsx';
import type { Status } from './item.ts';
import { COMMAND, isCommand } from './next.ts';
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

/** In characters. Escaped characters take six times the space. */
const MAX_ESCAPED = 300;

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
  const withStatus = (status: Status) => report.items.filter((item) => item.status === status);
  const unmet = withStatus('unmet');
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
      <Met report={report} items={withStatus('met')} />
      <Seen report={report} />
    </>
  );
}

function Summary({ report }: { report: Report }) {
  const { features, gate } = report;
  const names = (use: string) =>
    Object.entries(features).flatMap(([name, value]) => (value === use ? [name] : []));
  const tone = isEmpty(report) ? 'neutral' : gate.passed ? 'success' : 'error';
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
          ['Used', names('used').join(', ') || 'nothing'],
          ['Not used', names('not_used').join(', ') || null],
        ]}
      />
    </section>
  );
}

function Gate({ report: { gate, items }, children }: { report: Report; children: Child }) {
  const status = new Map(items.map((item) => [item.id, item.status]));
  const isWrong = (id: string) => Number(status.get(id) === 'contradicted');
  const failed = gate.failed.toSorted((a, b) => isWrong(b) - isWrong(a));
  const link = (id: string) => (
    <a href={`#${id}`}>
      <Mono>{id}</Mono>
    </a>
  );
  return (
    <Section title="Gate" id="gate">
      {gate.file === null && (
        <p class="quiet">
          No gate file: every <code>must</code> item that applies is required.
        </p>
      )}
      <DescriptionList
        class="stacked"
        items={[
          ['File', gate.file !== null && <Mono>{gate.file}</Mono>],
          ['Failed', failed.length > 0 && <>{failed.map((id, n) => [n > 0 && ', ', link(id)])}</>],
          ...gate.accepted.map(({ id, reason }): [string, Child] => [
            'Accepted',
            <>
              {link(id)}: <Text>{reason}</Text>
            </>,
          ]),
        ]}
      />
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
          <Badge tone={accepted ? 'neutral' : 'error'}>
            {accepted ? 'contradicted, accepted' : 'contradicted'}
          </Badge>
        )}{' '}
        <code>{id}</code> <span class="quiet">{level}</span>
      </summary>
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
      {href === null ? name : <a href={href}>{name || 'Open'}</a>} <Text>{clip(text)}</Text>{' '}
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

function clip(text: string): string {
  const escaped = escapeInvisibleInLine(text);
  return escaped.length <= MAX_ESCAPED ? escaped : `${escaped.slice(0, MAX_ESCAPED)}…`;
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

/** Renders the met items by group. */
function Met({ report, items }: { report: Report; items: readonly ReportItem[] }) {
  if (items.length === 0) return null;
  return (
    <Section title={`Met items: ${items.length}`} id="met">
      {countByGroup(report).map(({ group, met, applying }) => {
        const rows = items.filter((item) => item.group === group);
        return (
          rows.length > 0 && (
            <details class="group" data-key={`met ${group}`}>
              <summary>
                {group} <span class="quiet">{`${met} of ${applying} met`}</span>
              </summary>
              <Table
                caption={`Met items of ${group}`}
                columns={MET_COLUMNS}
                rows={rows}
                keyOf={idOf}
              />
            </details>
          )
        );
      })}
    </Section>
  );
}

const idOf = ({ id }: ReportItem) => id;

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
