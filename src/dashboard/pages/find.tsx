import { callControl } from '../../control/call-control.ts';
import { findEndpoints } from '../../control/find.ts';
import { findResult, type Match } from '../../control/find-result.ts';
import { REQUEST_FILTERS } from '../../control/where.ts';
import { CodedError } from '../../kernel/errors.ts';
import { Notice, PageHeader } from '../../ui/layout.tsx';
import { type Column, column, Table } from '../../ui/table.tsx';
import { Mono, Text } from '../../ui/text.tsx';
import { EmptyState, type Page, type PageContext } from '../page.tsx';
import { columnsFrom } from '../resource-columns.tsx';
import { ListPager } from '../resource-pages.tsx';

const COLUMNS: Column<Match>[] = [
  column('Found', 'main', ({ href, title, id }) => (
    <a href={href}>
      <Text>{title}</Text>
      <span class="id">
        <Mono>{id}</Mono>
      </span>
    </a>
  )),
  ...columnsFrom(findResult, 'type', 'world'),
];

/** Shows the results of the search box; opens the page of a single object. */
export async function findPage(page: PageContext): Promise<Page> {
  const { q = '', cursor } = page.query;
  const text = q.trim();
  const header = <PageHeader title={text === '' ? 'Find' : <Text>{`Find ${text}`}</Text>} />;
  const show = (content: Page['content']): Page => ({
    title: 'Find',
    content: (
      <>
        {header}
        {content}
      </>
    ),
  });
  if (text === '') return show(<FindHelp title="Type in the box above." />);
  try {
    const query = { q: text, ...(cursor !== undefined && { cursor }) };
    const { results, next_cursor: next } = await callControl(findEndpoints.getFind, page, {
      query,
    });
    const [only] = results;
    const isOne = results.length === 1 && next === null && cursor === undefined;
    if (only && isOne) return { ...show(''), redirect: only.href };
    if (results.length === 0) return show(<FindHelp title="Nothing found." />);
    return show(
      <>
        <Table
          caption="What was found"
          columns={COLUMNS}
          rows={results}
          keyOf={({ type, id }) => `${type} ${id}`}
        />
        <ListPager next={next} />
      </>,
    );
  } catch (error) {
    if (!(error instanceof CodedError) || error.status >= 500) throw error;
    return { ...show(<Notice title={error.message} />), status: error.status };
  }
}

function FindHelp({ title }: { title: string }) {
  return (
    <EmptyState title={title}>
      An ID of any kind, a domain, an external_payment_ref, an Idempotency-Key or a nonce; text in
      requests, events and deliveries; filters ({Object.keys(REQUEST_FILTERS).join(', ')}).
    </EmptyState>
  );
}
