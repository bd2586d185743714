import { ask } from '../../control/call-control.ts';
import { getRequests } from '../../control/requests.ts';
import { ERROR_CODES } from '../../kernel/errors.ts';
import type { PageOf } from '../../kernel/resource.ts';
import { describeOutcome } from '../../requests/describe.ts';
import { APIS } from '../../requests/log-entry.ts';
import type { LoggedRequest } from '../../requests/views.ts';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { listQuery, orProblem } from '../list-or-problem.ts';
import { Act } from '../parts/act.tsx';
import { Badge, toneOfStatus } from '../parts/badge.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Filter } from '../parts/filter.tsx';
import { Empty, Head, Problem } from '../parts/section.tsx';
import { type Column, Pager, Table } from '../parts/table.tsx';
import { Mono } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { command, type Place, segment, to } from '../place.ts';
import { plainLine } from '../plain.ts';
import type { View } from '../reply.tsx';

const FILTERS = ['status', 'code', 'method', 'path', 'key_id', 'api', 'text', 'from', 'to'];

/** What partners asked and what was answered, as it comes. */
export async function requestsPage(at: Place): Promise<View> {
  const query = listQuery(at.query, FILTERS);
  const found = await orProblem(ask<PageOf<'requests', LoggedRequest>>(getRequests, at, { query }));
  return {
    title: 'Requests',
    live: ['requests'],
    content: (
      <>
        <Head
          title="Requests"
          acts={
            <Act
              at={at}
              call="DELETE /requests"
              done="The request log is empty"
              confirm={`Empty the request log of the world ${at.world.name}?`}
            >
              Clear
            </Act>
          }
        >
          Calls of the partner API, views of hosted pages and control API calls that act, newest
          first.
        </Head>
        <RequestFilter at={at} />
        {'problem' in found ? (
          <Problem at={at} message={found.problem} />
        ) : (
          <RequestTable at={at} requests={found.requests} />
        )}
        {'problem' in found || <Pager at={at} next={found.next_cursor} />}
      </>
    ),
  };
}

function RequestFilter({ at }: { at: Place }) {
  const { query } = at;
  return (
    <Filter at={at} label="Filter requests" names={FILTERS}>
      <Field label="Text" name="text" id="f-text" type="search" value={query.text} search />
      <Field label="Path" name="path" id="f-path" value={query.path} placeholder="/orders*" />
      <Field label="Status" name="status" id="f-status" value={query.status} placeholder="4xx" />
      <Choice
        label="Code"
        name="code"
        id="f-code"
        options={ERROR_CODES}
        value={query.code}
        none="any"
      />
      <Choice label="API" name="api" id="f-api" options={APIS} value={query.api} none="any" />
      <Field label="Key id" name="key_id" id="f-key" value={query.key_id} />
    </Filter>
  );
}

export function RequestTable({ at, requests }: { at: Place; requests: LoggedRequest[] }) {
  if (requests.length === 0) return <NoRequests at={at} />;
  const columns: Column<LoggedRequest>[] = [
    {
      heading: 'Request',
      kind: 'main',
      cell: ({ request_id, method, target }) => (
        <a href={to(at, `/dashboard/requests/${segment(request_id)}`)} data-row>
          <span class="target">
            <b class="method">{plainLine(method)}</b> <Mono>{target}</Mono>
          </span>
        </a>
      ),
    },
    {
      heading: 'Answer',
      cell: (request) => (
        <Badge tone={toneOfStatus(request.status)}>{describeOutcome(request)}</Badge>
      ),
    },
    { heading: 'Key', kind: 'clip', cell: ({ key_id }) => key_id && <Mono>{key_id}</Mono> },
    { heading: 'ms', kind: 'number', cell: ({ duration_ms }) => duration_ms.toFixed(1) },
    { heading: 'Received', cell: ({ received_at }) => <When at={received_at} ms /> },
  ];
  return (
    <Table
      caption="Requests, newest first"
      columns={columns}
      rows={requests}
      keyOf={({ request_id }) => request_id}
    />
  );
}

function NoRequests({ at }: { at: Place }) {
  if (FILTERS.some((name) => at.query[name])) return <Empty says="No request fits this filter." />;
  if (at.world.name !== DEFAULT_WORLD) {
    return (
      <Empty
        says="No request has entered this world yet."
        commands={[command(at, 'credentials create')]}
      >
        A key enters the world it was minted in. Mint one here, then call with it.
      </Empty>
    );
  }
  const search = "request GET '/api/partner/v1/domains/search?q=coffee'";
  return (
    <Empty says="No request has come in yet." commands={[command(at, search)]}>
      Point your client at this sandbox, or sign a first call from a terminal. It appears here at
      once.
    </Empty>
  );
}
