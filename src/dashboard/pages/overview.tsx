import { ask } from '../../control/call-control.ts';
import { getRequests } from '../../control/requests.ts';
import type { Status } from '../../control/status.ts';
import { getStatus } from '../../control/status.ts';
import type { LoggedRequest } from '../../requests/views.ts';
import { CopyAnswer } from '../parts/copy.tsx';
import { Secret } from '../parts/secret.tsx';
import { Empty, Facts, Head, Section } from '../parts/section.tsx';
import { Mono, Text } from '../parts/text.tsx';
import { Clock, When } from '../parts/when.tsx';
import { command, type Place, segment, to } from '../place.ts';
import type { View } from '../reply.tsx';
import { RequestTable } from './requests.tsx';

/** What is running, how a client gets in, and what was asked last. */
export async function overviewPage(at: Place): Promise<View> {
  const status = await ask<Status>(getStatus, at);
  const { requests } = await ask<{ requests: LoggedRequest[] }>(getRequests, at, {
    query: { limit: '8' },
  });
  return {
    title: 'Overview',
    live: ['requests', 'orders', 'inventory', 'credentials'],
    content: (
      <>
        <Head title="Overview" />
        <div class="cards">
          <Running status={status} />
          <Access at={at} status={status} />
        </div>
        <Section
          title="Latest requests"
          id="latest"
          acts={<a href={to(at, '/dashboard/requests')}>All requests</a>}
        >
          <RequestTable at={at} requests={requests} />
        </Section>
        <p class="quiet small">
          <a href={to(at, '/reference')}>Reference of the partner API</a> ·{' '}
          <a href={to(at, '/openapi.json')}>OpenAPI document</a>
        </p>
      </>
    ),
  };
}

function Running({ status }: { status: Status }) {
  return (
    <Section title="Running" id="running">
      <Facts
        facts={[
          ['Base url', <Mono>{status.url}</Mono>],
          ['Version', `sandlot ${status.version}`],
          ['Clock', <Clock reading={status.clock} />],
          ['World', <Mono>{status.world}</Mono>],
          ['Seed', <Text>{status.seed}</Text>],
          ...Object.entries(status.inventory).map(
            ([name, { listed, sold }]) =>
              [`${name} inventory`, `${number(listed)} listed, ${number(sold)} sold`] as const,
          ),
          ['State', status.data_dir === null ? 'in memory' : <Mono>{status.data_dir}</Mono>],
          ['Since', <When at={status.started_at} />],
        ]}
      />
    </Section>
  );
}

/** 5000 → "5,000". */
function number(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

function Access({ at, status: { url, credential } }: { at: Place; status: Status }) {
  if (credential === null) {
    return (
      <Section title="For your client" id="access">
        <Empty
          says="The default credential is not in this world."
          commands={[command(at, 'credentials create --format env')]}
        >
          Mint a key that enters it. <a href={to(at, '/dashboard/credentials')}>Credentials</a>
        </Empty>
      </Section>
    );
  }
  return (
    <Section
      title="For your client"
      id="access"
      acts={<CopyAnswer from={to(at, '/status')} member="env" label="Copy as environment" />}
    >
      <dl class="env">
        <div>
          <dt>SANDLOT_URL</dt>
          <dd>
            <Mono>{url}</Mono>
          </dd>
        </div>
        <div>
          <dt>SANDLOT_KEY_ID</dt>
          <dd>
            <Mono>{credential.key_id}</Mono>
          </dd>
        </div>
        <div>
          <dt>SANDLOT_SECRET</dt>
          <dd>
            <Secret
              from={to(at, `/credentials/${segment(credential.key_id)}`)}
              of={credential.key_id}
            />
          </dd>
        </div>
      </dl>
      <p class="quiet small">
        This credential holds every scope. Commands find a sandbox that was started in the same
        folder by themselves.
      </p>
    </Section>
  );
}
