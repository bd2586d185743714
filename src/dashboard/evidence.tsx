import type { Child } from 'hono/jsx';
import type { ReportEvidence } from '../coverage/report.ts';
import { Mono, Text, Timestamp } from '../ui/text.tsx';
import { urlFor } from '../ui/urls.ts';
import type { PageContext } from './page.ts';

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

/** Names the items of the go-live report that rest on a request, an event or a delivery; null if there are none. */
export async function evidenceOf(page: PageContext, ...ids: string[]): Promise<Child> {
  const { name } = page.world;
  const { items } = await page.context.coverage.report({});
  const uses = (pieces: readonly ReportEvidence[]) =>
    pieces.some(({ id, world }) => id !== null && world === name && ids.includes(id));
  const using = items.flatMap(({ id, title, evidence, contradictions }) => {
    if (uses(contradictions)) return [{ id, title, what: 'contradicts' }];
    return uses(evidence) ? [{ id, title, what: 'meets' }] : [];
  });
  if (using.length === 0) return null;
  return (
    <ul class="evidence">
      {using.map(({ id, title, what }) => (
        <li>
          {what}{' '}
          <a href={`${urlFor(page, '/dashboard/go-live')}#${id}`}>
            <Mono>{id}</Mono>
          </a>
          : {title}
        </li>
      ))}
    </ul>
  );
}
