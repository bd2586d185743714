import type { PropsWithChildren } from 'hono/jsx';
import { callControl } from '../../control/call-control.ts';
import { requestEndpoints } from '../../control/requests.ts';
import type { RequestDetail } from '../../requests/logged-request.ts';
import { reSignProblem } from '../../requests/re-sign.ts';
import { DescriptionList, PageHeader } from '../../ui/layout.tsx';
import { escapeInvisibleInLine, Mono, Text, Timestamp } from '../../ui/text.tsx';
import { ActionButton } from '../actions.tsx';
import { CopyResponse, ItemLink, OutcomeBadge } from '../components.tsx';
import { Link, type Page, type PageContext, urlFor } from '../page.tsx';
import { CompareForm, comparisonPage, nearestSuccess } from './request-comparison.tsx';
import { CanonicalStrings, Message, Trace } from './request-parts.tsx';

export async function requestPage(page: PageContext, id: string): Promise<Page> {
  if (page.query.with !== undefined) return comparisonPage(page, id, page.query.with.trim());
  const shown = await callControl(requestEndpoints.getRequest, page, { params: { id } });
  const path = `/requests/${encodeURIComponent(id)}`;
  return {
    title: `${escapeInvisibleInLine(shown.method)} ${escapeInvisibleInLine(shown.target)}`,
    content: (
      <>
        <p class="crumbs">
          <Link to="/dashboard/requests">Requests</Link>
          <Neighbor id={shown.older} rel="prev">
            Older
          </Neighbor>
          <Neighbor id={shown.newer} rel="next">
            Newer
          </Neighbor>
        </p>
        <PageHeader
          title={
            <>
              <b class="method">{escapeInvisibleInLine(shown.method)}</b>{' '}
              <Mono>{shown.target}</Mono>
            </>
          }
          actions={
            <>
              <CopyResponse
                path={`${path}/markdown`}
                property="markdown"
                label="Copy as Markdown"
              />
              {reSignProblem(shown) === undefined && (
                <>
                  <CopyResponse path={`${path}/curl`} property="curl" label="Copy as curl" />
                  <ActionButton
                    call={`POST ${path}/replay`}
                    done="Sent again"
                    then={urlFor(page, '/dashboard/requests/REQUEST_ID')}
                  >
                    Send again
                  </ActionButton>
                </>
              )}
              {await page.actions(id)}
            </>
          }
        />
        <Outcome shown={shown} />
        {await nearestSuccess(page, shown)}
        {await page.sections(id)}
        <Trace shown={shown} />
        <CanonicalStrings shown={shown} />
        <Message id="request" title="Request" message={shown.request} />
        <Message id="response" title="Response" message={shown.response} />
        <CompareForm path={page.path} placeholder="req_…" />
      </>
    ),
  };
}

/** Renders a link to the request before or after this one. */
function Neighbor(props: PropsWithChildren<{ id: string | null; rel: 'prev' | 'next' }>) {
  const { id, rel, children } = props;
  if (id === null) return null;
  return (
    <>
      {' · '}
      <Link to={`/dashboard/requests/${id}`} rel={rel}>
        {children}
      </Link>
    </>
  );
}

function Outcome({ shown }: { shown: RequestDetail }) {
  const { summary, fix } = shown.trace.find(({ result }) => result === 'failed')?.detail ?? {};
  const diagnosed = typeof summary === 'string' && typeof fix === 'string';
  return (
    <section class="card" aria-label="Outcome">
      <p class="outcome">
        <OutcomeBadge request={shown} />
      </p>
      {diagnosed ? (
        <div class="diagnosis">
          <p>
            <strong>
              <Text>{summary}</Text>
            </strong>
          </p>
          <p>
            <Text>{fix}</Text>
          </p>
        </div>
      ) : (
        shown.message !== null && (
          <p class="diagnosis">
            <Text>{shown.message}</Text>
          </p>
        )
      )}
      <DescriptionList
        items={[
          ['Request ID', <Mono>{shown.request_id}</Mono>],
          ['Domain', shown.domain && <Mono>{shown.domain}</Mono>],
          ['Order', shown.order && <ItemLink id={shown.order} />],
          [
            'Fault',
            shown.fault && (
              <Link to="/dashboard/faults">
                <Mono>{shown.fault}</Mono>
              </Link>
            ),
          ],
          ['Received', <Timestamp at={shown.received_at} ms />],
          ['Sandbox time', <Timestamp at={shown.at} ms />],
          ['Duration', `${shown.duration_ms} ms`],
          ['Key', shown.key_id && <Mono>{shown.key_id}</Mono>],
          ['Partner', shown.partner && <Text>{`${shown.partner}, ${shown.environment}`}</Text>],
        ]}
      />
      {shown.warnings.length > 0 && (
        <div class="warnings">
          <h2>Warnings</h2>
          <ul>
            {shown.warnings.map((warning) => (
              <li>
                <Text>{warning}</Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
