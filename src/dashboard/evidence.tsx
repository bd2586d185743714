import type { Child } from 'hono/jsx';
import type { ReportEvidence } from '../coverage/report.ts';
import { Mono, Text, Timestamp } from '../ui/text.tsx';
import { type PageContext, urlFor, usePage } from './page.tsx';

/** Renders pieces of evidence, each with a link to what it describes while the log has it. */
export function EvidenceList({ evidence }: { evidence: readonly ReportEvidence[] }) {
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

function Piece({ piece: { id, href, text, at } }: { piece: ReportEvidence }) {
  const name = id !== null && <Mono>{id}</Mono>;
  return (
    <>
      {href === null ? name : <a href={href}>{name || 'Open'}</a>} <Text>{text}</Text>{' '}
      <span class="quiet small">
        <Timestamp at={at} />
      </span>
    </>
  );
}

/** Returns a function that names the items of the go-live report that rest on or mention any of these ids; null if none does. */
export async function findEvidence(page: PageContext): Promise<(...ids: string[]) => Child> {
  const { name } = page.world;
  const { items } = await page.context.coverage.report({});
  return (...ids) => {
    const rests = (pieces: readonly ReportEvidence[]) =>
      pieces.some(
        ({ id, world, text }) =>
          world === name && ids.some((each) => each === id || text.includes(each)),
      );
    const using = items.flatMap(({ id, title, evidence, contradictions }) => {
      if (rests(contradictions)) return [{ id, title, what: 'contradicts' }];
      return rests(evidence) ? [{ id, title, what: 'meets' }] : [];
    });
    return using.length === 0 ? null : <ItemList items={using} />;
  };
}

interface ItemListProps {
  items: readonly { id: string; title: string; what: string }[];
}

function ItemList({ items }: ItemListProps) {
  return (
    <ul class="evidence">
      {items.map(({ id, title, what }) => (
        <li>
          {what}{' '}
          <a href={`${urlFor(usePage(), '/dashboard/go-live')}#${id}`}>
            <Mono>{id}</Mono>
          </a>
          : {title}
        </li>
      ))}
    </ul>
  );
}
