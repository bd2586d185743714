import type { Child } from 'hono/jsx';
import { DescriptionList, Details, Section } from '../../ui/layout.tsx';
import { type Column, column, Table } from '../../ui/table.tsx';
import { Badge, escapeInvisibleInLine, Mono, Text, Timestamp } from '../../ui/text.tsx';
import { describeGate, describeList } from './describe.ts';
import { STATUS_TONES, type Status } from './item.ts';
import { COMMAND, nextLines } from './next.ts';
import { MAX_COUNT } from './observation.ts';
import {
  countByGroup,
  isOpen,
  isOptional,
  type Report,
  type ReportEvidence,
  type ReportItem,
  type ReportSource,
} from './report.ts';

/** Number of failed items in the section of the gate. Each is described below it. */
const MAX_FAILED = 12;
const MAX_SOURCES = 200;
/** In characters. Escaped characters take six times the space. */
const MAX_ESCAPED = 300;

interface ReportViewProps {
  report: Report;
  /** Renders a command, without `sandlot`. */
  command(text: string): Child;
  /** Follows the description of the gate. */
  gateNote?: Child;
  /** Explains how to remove contradictions. */
  afterFix: string;
  /** Explains how to run the commands of open items. */
  howToTry: string;
}

/** Renders the parts of a report, on the dashboard and in a file. */
export function ReportView({ report, command, gateNote, afterFix, howToTry }: ReportViewProps) {
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
        `Requests or webhook responses that were wrong. Later success does not remove them: ${afterFix}`,
      )}
      {section('Open items', 'open', required, `Not seen yet. ${howToTry}`)}
      {optional.length > 0 && (
        <Details title={`Open, not required: ${optional.length}`} id="optional">
          {show(optional)}
        </Details>
      )}
      <Met report={report} items={withStatus('met')} />
      <Sources sources={report.sources} />
    </>
  );
}

function Summary({ report }: { report: Report }) {
  const { features, gate, ignored } = report;
  const names = (use: string) =>
    Object.entries(features).flatMap(([name, value]) => (value === use ? [name] : []));
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
          ['Ignored', ignored.length > 0 && <Text>{describeList(ignored)}</Text>],
        ]}
      />
    </section>
  );
}

function Gate({ report: { gate, items }, children }: { report: Report; children: Child }) {
  const status = new Map(items.map((item) => [item.id, item.status]));
  const isWrong = (id: string) => Number(status.get(id) === 'contradicted');
  const failed = gate.failed.toSorted((a, b) => isWrong(b) - isWrong(a));
  const more = failed.length - MAX_FAILED;
  const link = (id: string) =>
    status.has(id) ? (
      <a href={`#${id}`}>
        <Mono>{id}</Mono>
      </a>
    ) : (
      <Mono>{id}</Mono>
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
          [
            'Failed',
            failed.length > 0 && (
              <>
                {failed.slice(0, MAX_FAILED).map((id, n) => [n > 0 && ', ', link(id)])}
                {more > 0 && ` and ${more} more`}
              </>
            ),
          ],
          ...gate.waived.map(({ id, reason, until }): [string, Child] => [
            'Waived',
            <>
              {link(id)}: <Text>{reason}</Text>
              {until !== null && `, until ${until}`}
            </>,
          ]),
          ...gate.expired.map(({ id, until }): [string, Child] => [
            'Ignored waiver',
            `${id}: it ended on ${until}`,
          ]),
          ['New since this gate', gate.new_items.join(', ') || null],
        ]}
      />
      {children}
    </Section>
  );
}

function Item({ item, command }: { item: ReportItem } & Pick<ReportViewProps, 'command'>) {
  const { id, title, status, level, waived, contradictions } = item;
  return (
    <article class="item" id={id} data-key={id}>
      <h3>{title}</h3>
      <p>
        <Badge tone={isOpen(item) ? STATUS_TONES[status] : 'neutral'}>
          {waived ? `${status}, waived` : status}
        </Badge>{' '}
        <code>{id}</code> <span class="quiet">{level}</span>
      </p>
      <EvidenceList evidence={contradictions} />
      <ol class="next">
        {nextLines(item.next).map((line) => {
          const at = line.indexOf(COMMAND);
          if (at < 0) return <li>{withCode(line)}</li>;
          return (
            <li>
              {line.slice(0, at)}
              {command(line.slice(at + COMMAND.length))}
            </li>
          );
        })}
      </ol>
    </article>
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
  column('Seen', 'number', ({ count }) => (count >= MAX_COUNT ? `${MAX_COUNT}+` : count)),
  column('Newest evidence', 'wide', ({ evidence }) => (
    <EvidenceList evidence={evidence.slice(-1)} />
  )),
];

/** Renders the met items by group. Groups in which every item is met are closed. */
function Met({ report, items }: { report: Report; items: readonly ReportItem[] }) {
  if (items.length === 0) return null;
  return (
    <Section title={`Met items: ${items.length}`} id="met">
      {countByGroup(report).map(({ group, met, applying }) => {
        const rows = items.filter((item) => item.group === group);
        return (
          rows.length > 0 && (
            <details class="group" open={met < applying} data-key={`met ${group}`}>
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

const SOURCE_COLUMNS: Column<ReportSource>[] = [
  column('Run', 'main', ({ run, label }) => <Mono>{label ?? run}</Mono>),
  column('Worlds', undefined, ({ worlds }) => <Text>{describeList(worlds)}</Text>),
  column('Requests', 'number', ({ requests }) => requests),
  column('Webhook attempts', 'number', ({ attempts }) => attempts),
  column('From', undefined, ({ from }) => from && <Timestamp at={from} />),
  column('To', undefined, ({ to }) => to && <Timestamp at={to} />),
];

function Sources({ sources }: Pick<Report, 'sources'>) {
  const more = sources.length - MAX_SOURCES;
  return (
    <Section title="Sources" id="sources">
      <Table
        caption="Sources"
        columns={SOURCE_COLUMNS}
        rows={sources.slice(0, MAX_SOURCES)}
        keyOf={({ run }) => run}
      />
      {more > 0 && <p>And {more} more.</p>}
    </Section>
  );
}
