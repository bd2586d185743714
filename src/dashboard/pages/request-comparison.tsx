import { callControl } from '../../control/call-control.ts';
import { type Comparison, comparisonEndpoints } from '../../control/comparisons.ts';
import { requestEndpoints } from '../../control/requests.ts';
import { CodedError } from '../../kernel/errors.ts';
import type { Difference } from '../../requests/compare-requests.ts';
import type { RequestDetail } from '../../requests/logged-request.ts';
import { Field } from '../../ui/form.tsx';
import { PageHeader, Section } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { Mono, Text } from '../../ui/text.tsx';
import { ItemLink, OutcomeBadge } from '../components.tsx';
import { Link, type Page, type PageContext, WorldField } from '../page.tsx';
import { Message, Trace } from './request-parts.tsx';

/** Shows two requests side by side, with what differs above them. */
export async function comparisonPage(page: PageContext, id: string, idB: string): Promise<Page> {
  const compared = await callControl(comparisonEndpoints.getRequestDiff, page, {
    params: { id },
    query: { with: idB },
  });
  const show = (requestId: string) =>
    callControl(requestEndpoints.getRequest, page, { params: { id: requestId } });
  const [a, b] = [await show(compared.a), await show(compared.b)];
  return {
    title: `${compared.a} and ${compared.b}`,
    content: (
      <>
        <p class="crumbs">
          <Link to="/dashboard/requests">Requests</Link>
        </p>
        <PageHeader title="Two requests">
          A is <ItemLink id={compared.a} />, B is <ItemLink id={compared.b} />.
        </PageHeader>
        <Section title="Differences" id="differences">
          <Differences compared={compared} />
        </Section>
        <div class="sides two">
          <Side name="A" request={a} />
          <Side name="B" request={b} />
        </div>
      </>
    ),
  };
}

function Side({ name, request }: { name: string; request: RequestDetail }) {
  const prefix = name.toLowerCase();
  return (
    <div>
      <section class="card" aria-label={`Request ${name}`}>
        <p class="outcome">
          <strong>{name}</strong> <OutcomeBadge request={request} />
        </p>
        <p>
          <b class="method">{request.method}</b> <Mono>{request.target}</Mono>
        </p>
      </section>
      <Message id={`${prefix}-request`} title={`Request ${name}`} message={request.request} />
      <Trace id={`${prefix}-trace`} title={`Decision trace ${name}`} request={request} />
      <Message id={`${prefix}-response`} title={`Response ${name}`} message={request.response} />
    </div>
  );
}

/** Shows how a rejected request differs from the nearest one that succeeded, if there is one. */
export async function nearestSuccess(page: PageContext, request: RequestDetail) {
  if (request.api !== 'partner' || request.code === null) return null;
  const id = request.request_id;
  try {
    const compared = await callControl(comparisonEndpoints.getRequestDiff, page, {
      params: { id },
    });
    return (
      <Section
        title="The nearest request that succeeded"
        id="nearest"
        actions={
          <Link to={`/dashboard/requests/${compared.a}`} query={{ with: id }}>
            Side by side
          </Link>
        }
      >
        <p class="quiet">
          A is <ItemLink id={compared.a} />, the request of the same operation and credential that
          differs least. B is this request.
        </p>
        <Differences compared={compared} />
      </Section>
    );
  } catch (error) {
    if (error instanceof CodedError && error.code === 'not_found') return null;
    throw error;
  }
}

/** Renders a form that leads to the comparison with another item. @param path of the page of this one */
export function CompareForm({ path, placeholder }: { path: string; placeholder: string }) {
  return (
    <form class="form line" method="get" action={`/_sandbox${path}`}>
      <WorldField />
      <Field label="Compare with" name="with" id="with" placeholder={placeholder} required />
      <button type="submit" class="plain">
        Compare
      </button>
    </form>
  );
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
