import { CliCommand } from '../../dashboard/page.tsx';
import { Section } from '../../ui/layout.tsx';
import { type Column, column, Table } from '../../ui/table.tsx';
import { Badge } from '../../ui/text.tsx';
import { EvidenceList } from './evidence-section.tsx';
import { STATUS_TONES } from './item.ts';
import { nextLines } from './next.ts';
import { MAX_COUNT } from './observations.ts';
import { isOpen, type ReportItem } from './report.ts';

interface ItemsProps {
  title: string;
  id: string;
  items: readonly ReportItem[];
  children: string;
}

export function Items({ title, id, items, children }: ItemsProps) {
  if (items.length === 0) return null;
  return (
    <Section title={`${title}: ${items.length}`} id={id}>
      <p class="quiet">{children}</p>
      {items.map((item) => (
        <Item item={item} />
      ))}
    </Section>
  );
}

export function Item({ item }: { item: ReportItem }) {
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
        {nextLines(item.next).map((line) => (
          <NextLine line={line} />
        ))}
      </ol>
    </article>
  );
}

const COMMAND = 'sandlot ';

function NextLine({ line }: { line: string }) {
  const at = line.indexOf(COMMAND);
  if (at < 0) return <li>{line.replaceAll('`', '')}</li>;
  return (
    <li>
      {line.slice(0, at)}
      <CliCommand text={line.slice(at + COMMAND.length)} />
    </li>
  );
}

const MET: Column<ReportItem>[] = [
  column('Item', 'main', ({ id, title }) => (
    <>
      {title}
      <span class="id">{id}</span>
    </>
  )),
  column('Seen', 'number', ({ count }) => (count >= MAX_COUNT ? `${MAX_COUNT}+` : count)),
  column('Newest evidence', 'wide', ({ evidence }) => (
    <EvidenceList evidence={evidence.slice(-1)} />
  )),
];

export function Met({ items }: { items: readonly ReportItem[] }) {
  if (items.length === 0) return null;
  return (
    <Section title={`Met items: ${items.length}`} id="met">
      <Table caption="Met items" columns={MET} rows={items} keyOf={({ id }) => id} />
    </Section>
  );
}
