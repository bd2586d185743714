import { callControl } from '../../control/call-control.ts';
import { type Comparison, comparisonEndpoints } from '../../control/comparisons.ts';
import { CodedError } from '../../kernel/errors.ts';
import type { Difference } from '../../requests/compare-requests.ts';
import type { RequestDetail } from '../../requests/logged-request.ts';
import { Field } from '../../ui/form.tsx';
import { Section } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { Mono, Text } from '../../ui/text.tsx';
import { ItemLink } from '../components.tsx';
import { type PageContext, WorldField } from '../page.tsx';

/**
 * Shows how a request differs from the one that `?with=` names, or a rejected one from the nearest that succeeded. Has
 * a form to choose another.
 */
export async function comparison(page: PageContext, request: RequestDetail) {
  const other = page.query.with?.trim();
  const compared = await compare(page, request, other);
  const isNearest = compared !== undefined && other === undefined;
  return (
    <Section
      title={isNearest ? 'The nearest request that succeeded' : 'Comparison'}
      id="comparison"
    >
      {compared && (
        <>
          <p class="quiet">
            {isNearest && 'Of the same operation and credential, it differs least. '}A is{' '}
            <ItemLink id={compared.a} />, B is <ItemLink id={compared.b} />.
          </p>
          <Differences compared={compared} />
        </>
      )}
      <form class="form line" method="get" action={`/_sandbox${page.path}`}>
        <WorldField />
        <Field label="Compare with" name="with" id="with" placeholder="req_…" required />
        <button type="submit" class="plain">
          Compare
        </button>
      </form>
    </Section>
  );
}

async function compare(
  page: PageContext,
  { request_id: id, api, code }: RequestDetail,
  other: string | undefined,
): Promise<Comparison | undefined> {
  if (other === undefined && (api !== 'partner' || code === null)) return undefined;
  const query = other === undefined ? {} : { with: other };
  try {
    return await callControl(comparisonEndpoints.getRequestDiff, page, { params: { id }, query });
  } catch (error) {
    const hasNone = error instanceof CodedError && error.code === 'not_found';
    if (hasNone && other === undefined) return undefined;
    throw error;
  }
}

function Differences({ compared }: { compared: Comparison }) {
  const { same, reason, differences, volatile } = compared;
  return (
    <>
      {reason !== null && (
        <p class="diagnosis">
          <Text>{reason}</Text>
        </p>
      )}
      {same ? <p>No difference.</p> : <DifferenceTable rows={differences} />}
      {volatile.length > 0 && (
        <details class="details">
          <summary class="quiet">{`${volatile.length} values differ as always`}</summary>
          <DifferenceTable rows={volatile} />
        </details>
      )}
    </>
  );
}

function DifferenceTable({ rows }: { rows: readonly Difference[] }) {
  const side = (value: unknown) =>
    value === null ? <i class="quiet">none</i> : <Mono>{textOf(value)}</Mono>;
  return (
    <Table
      caption="What differs, in A and in B"
      columns={[
        { heading: 'What', kind: 'main', cell: ({ path }) => <Mono>{path}</Mono> },
        { heading: 'A', kind: 'wide', cell: ({ a }) => side(a) },
        { heading: 'B', kind: 'wide', cell: ({ b }) => side(b) },
      ]}
      rows={rows}
      keyOf={({ path }) => path}
    />
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
