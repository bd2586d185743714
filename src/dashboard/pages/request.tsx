import { callControl } from '../../control/call-control.ts';
import { requestEndpoints } from '../../control/requests.ts';
import type { RequestDetail } from '../../requests/logged-request.ts';
import { failedStepOf } from '../../requests/trace.ts';
import { DescriptionList, PageHeader } from '../../ui/layout.tsx';
import { escapeInvisibleInLine, Mono, Text, Timestamp } from '../../ui/text.tsx';
import { ItemLink, OutcomeBadge } from '../components.tsx';
import { Crumbs, type PageContext, type RenderedPage } from '../page.tsx';
import { CanonicalStrings, MessageSection, Trace } from './request-parts.tsx';

export async function requestDetailPage(page: PageContext, id: string): Promise<RenderedPage> {
  const request = await callControl(requestEndpoints.getRequest, page, { params: { id } });
  return {
    title: `${escapeInvisibleInLine(request.method)} ${escapeInvisibleInLine(request.target)}`,
    content: (
      <>
        <Crumbs to="/dashboard/requests">Requests</Crumbs>
        <PageHeader
          title={
            <>
              <b class="method">{escapeInvisibleInLine(request.method)}</b>{' '}
              <Mono>{request.target}</Mono>
            </>
          }
          actions={await page.toolParts('actions')}
        />
        <OutcomeCard request={request} />
        {await page.toolParts('sections')}
        <Trace request={request} />
        <CanonicalStrings request={request} />
        <MessageSection id="request" title="Request" message={request.request} />
        <MessageSection id="response" title="Response" message={request.response} />
      </>
    ),
  };
}

function OutcomeCard({ request }: { request: RequestDetail }) {
  // A wrong signature is explained by the check that failed.
  const { summary, fix } = failedStepOf(request.trace)?.detail ?? {};
  const isDiagnosed = typeof summary === 'string' && typeof fix === 'string';
  return (
    <section class="card" aria-label="Outcome">
      <p>
        <OutcomeBadge request={request} />
      </p>
      {isDiagnosed ? (
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
        request.message !== null && (
          <p class="diagnosis">
            <Text>{request.message}</Text>
          </p>
        )
      )}
      <DescriptionList
        items={[
          ['Request ID', <Mono>{request.request_id}</Mono>],
          ['Domain', request.domain && <Mono>{request.domain}</Mono>],
          ['Order', request.order && <ItemLink id={request.order} />],
          // A magic domain gives its behavior, which has no page.
          ['Fault', request.fault && <ItemLink id={request.fault} />],
          ['Sandbox time', <Timestamp at={request.at} precision="ms" />],
          ['Real time', <Timestamp at={request.received_at} precision="ms" />],
          ['Duration', `${request.duration_ms} ms`],
          ['Key', request.key_id && <Mono>{request.key_id}</Mono>],
          [
            'Partner',
            request.partner && <Text>{`${request.partner}, ${request.environment}`}</Text>,
          ],
        ]}
      />
      {request.warnings.length > 0 && (
        <div class="warnings">
          <h2>Warnings</h2>
          <ul>
            {request.warnings.map((warning) => (
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
