import { callControl } from '../../control/call-control.ts';
import { findEndpoints } from '../../control/find.ts';
import { findResult, type Match } from '../../control/find-result.ts';
import { REQUEST_FILTERS } from '../../control/where.ts';
import { PageHeader } from '../../ui/layout.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Mono, Text } from '../../ui/text.tsx';
import { EmptyState, type PageContext, type RenderedPage } from '../page.tsx';
import { columnsFrom } from '../resource-columns.tsx';
import { ListPager } from '../resource-pages.tsx';

const COLUMNS: Column<Match>[] = [
  {
    heading: 'Found',
    layout: 'main',
    cell: ({ href, title, id }) => (
      <a href={href}>
        <Text>{title}</Text>
        <span class="id">
          <Mono>{id}</Mono>
        </span>
      </a>
    ),
  },
  ...columnsFrom(findResult, 'type', 'world'),
];

/** Shows the results of the search box; opens the page of an object that was named, or of a single result. */
export async function findPage(page: PageContext): Promise<RenderedPage> {
  const { q = '', cursor } = page.query;
  const text = q.trim();
  const query = { q: text, ...(cursor !== undefined && { cursor }) };
  const { results, next_cursor: next } =
    text === ''
      ? { results: [], next_cursor: null }
      : await callControl(findEndpoints.getFind, page, { query });
  const [first] = results;
  // An object that the text names comes first, and its page opens. A request, event or delivery only contains the text;
  // a listing is followed by the requests for its domain, which the reader may want instead.
  const isMention = ['listing', 'request', 'event', 'delivery'].includes(first?.type ?? '');
  const isOnlyResult = results.length === 1 && next === null;
  const opensFirst = cursor === undefined && (!isMention || isOnlyResult);
  return {
    title: 'Find',
    content: (
      <>
        <PageHeader title={<Text>{`Find ${text}`}</Text>} />
        {results.length > 0 ? (
          <Table
            caption="What was found"
            columns={COLUMNS}
            rows={results}
            keyOf={({ type, id }) => `${type} ${id}`}
          />
        ) : (
          <EmptyState title={text === '' ? 'Type in the box above.' : 'Nothing found.'}>
            An ID of any kind, a domain, an external_payment_ref, an Idempotency-Key or a nonce;
            text in requests, events and deliveries; filters (
            {Object.keys(REQUEST_FILTERS).join(', ')}).
          </EmptyState>
        )}
        <ListPager next={next} />
      </>
    ),
    redirect: opensFirst ? first?.href : undefined,
  };
}
