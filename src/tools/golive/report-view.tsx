import type { Child, PropsWithChildren } from 'hono/jsx';
import { DescriptionList, Details, Section } from '../../ui/layout.tsx';
import { Badge, Mono, Text, Timestamp } from '../../ui/text.tsx';
import { COMMAND_PREFIX, isCommand } from './item.ts';
import {
  describeDropped,
  describeGate,
  isEmpty,
  type Report,
  type ReportEvidence,
  type ReportItem,
  sectionsOf,
} from './report.ts';

interface ReportViewProps {
  report: Report;
  /** Renders a command, without `sandlot`. */
  command(text: string): Child;
}

/** Renders the parts of a report, on the dashboard and in a file. The children follow the summary. */
export function ReportView({ report, command, children }: PropsWithChildren<ReportViewProps>) {
  const { contradictions, open, optional, met } = sectionsOf(report);
  const list = (items: readonly ReportItem[]) =>
    items.map((item) => <Item item={item} command={command} />);
  return (
    <>
      <Summary report={report}>{children}</Summary>
      {contradictions.length > 0 && (
        <Section title={`Contradictions: ${contradictions.length}`} id="contradictions">
          <p class="quiet">
            Requests or webhook responses that were wrong. Later success does not remove them: after
            a fix, run <code>sandlot requests clear</code> in its world, and the tests again.
          </p>
          {list(contradictions)}
        </Section>
      )}
      {open.length > 0 && (
        <Section title={`Open items: ${open.length}`} id="open">
          <p class="quiet">Not seen yet. Try each as shown.</p>
          {list(open)}
        </Section>
      )}
      <Details title={`Open, not required: ${optional.length}`} id="optional">
        {list(optional)}
      </Details>
      <Details title={`Met items: ${met.length}`} id="met">
        {list(met)}
      </Details>
    </>
  );
}

/** Says whether the report passes, and what it is made of. */
function Summary({ report, children }: PropsWithChildren<{ report: Report }>) {
  const { gate, worlds, requests, attempts } = report;
  const tone = isEmpty(report) ? 'neutral' : gate.passed ? 'success' : 'error';
  return (
    <section class="card" aria-label="Summary">
      <p class="outcome">
        <Badge tone={tone}>{describeGate(report)}</Badge>
      </p>
      <DescriptionList
        items={[
          ['Gate', <Text>{gate.file ?? 'none: every must item that applies is required'}</Text>],
          ['Worlds', <Text>{worlds.join(', ')}</Text>],
          ['Requests', requests],
          ['Webhook attempts', attempts],
        ]}
      />
      {describeDropped(report) && <p class="quiet">{describeDropped(report)}</p>}
      {children}
    </section>
  );
}

/** Renders an item with its evidence and commands; closed, unless requests contradict it. */
function Item({ item, command }: { item: ReportItem } & Pick<ReportViewProps, 'command'>) {
  const { id, title, status, level, accepted, contradictions, evidence, next } = item;
  return (
    <details class={`item ${status}`} id={id} data-key={id} open={status === 'contradicted'}>
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
      <EvidenceList evidence={status === 'met' ? evidence : contradictions} />
      {status !== 'met' && (
        <ol class="next">
          {next.map((step) => (
            <li>{isCommand(step) ? command(step.slice(COMMAND_PREFIX.length)) : withCode(step)}</li>
          ))}
        </ol>
      )}
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
      {evidence.map(({ id, href, text, world, at }) => (
        <li>
          {href === null ? (
            <Mono>{id}</Mono>
          ) : (
            <a href={href}>
              <Mono>{id}</Mono>
            </a>
          )}{' '}
          <Text>{text}</Text>{' '}
          <span class="quiet small">
            {world !== 'default' && <Text>{`${world}, `}</Text>}
            <Timestamp at={at} /> sandbox time
          </span>
        </li>
      ))}
    </ul>
  );
}
