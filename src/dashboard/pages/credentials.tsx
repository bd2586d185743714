import { credentialEndpoints } from '../../control/credentials.ts';
import { DEFAULT_CREDENTIAL } from '../../market/defaults.ts';
import type { ControlCredential } from '../../market/partners/credential.ts';
import { column } from '../../ui/table.tsx';
import { Badge, Mono, Text, Timestamp } from '../../ui/text.tsx';
import { ActionButton } from '../actions.tsx';
import { FormResponse, Secret } from '../components.tsx';
import { listPage } from '../list-page.tsx';
import { EmptyState, Link, type Page, type PageContext } from '../page.tsx';
import { EndpointForm } from '../schema-fields.tsx';

export function credentialsPage(page: PageContext): Promise<Page> {
  return listPage<ControlCredential>(page, {
    title: 'Credentials',
    singular: 'credential',
    lead: 'Keys of partners. A key belongs to the world in which it was created.',
    live: ['credentials'],
    above: <MintForm />,
    endpoint: credentialEndpoints.getCredentials,
    caption: 'Credentials, by key ID',
    keyOf: ({ key_id }) => key_id,
    columns: [
      column('Key ID', 'main', ({ key_id }) => (
        <>
          <Link to="/dashboard/requests" query={{ key_id }} title="Show requests">
            <Mono>{key_id}</Mono>
          </Link>
          <div>
            <Secret keyId={key_id} />
          </div>
        </>
      )),
      column('Partner', 'clip', ({ partner, partner_id, affiliate }) => (
        <>
          <Text>{partner}</Text>
          <span class="id" title={partner_id}>
            <Mono>{partner_id}</Mono>
          </span>
          {affiliate && <span class="sub">affiliate</span>}
        </>
      )),
      { heading: 'Environment', cell: (credential) => <Environment {...credential} /> },
      { heading: 'Scopes', kind: 'wide', cell: ({ scopes }) => scopes.join(' ') },
      { heading: 'Created (real time)', cell: ({ created_at }) => <Timestamp at={created_at} /> },
      column('Action', 'actions', ({ key_id, approved }) => (
        <>
          {!approved && (
            <ActionButton
              call={`POST /credentials/${encodeURIComponent(key_id)}/approve`}
              done={`Approved ${key_id} for production`}
              about={key_id}
            >
              Approve
            </ActionButton>
          )}
          <ActionButton
            call={`DELETE /credentials/${encodeURIComponent(key_id)}`}
            done={`Revoked ${key_id}`}
            confirm={`Revoke ${key_id}? Requests signed with it will be rejected.`}
            about={key_id}
          >
            Revoke
          </ActionButton>
        </>
      )),
    ],
    empty: (
      <EmptyState title="No credentials in this world." commands={['credentials create']}>
        Create one above, or from a terminal.
      </EmptyState>
    ),
  });
}

function Environment({ environment, approved }: ControlCredential) {
  if (environment === 'SANDBOX') return <Badge tone="neutral">SANDBOX</Badge>;
  if (approved) return <Badge tone="success">LIVE</Badge>;
  return <Badge tone="warning">LIVE, not approved</Badge>;
}

function MintForm() {
  return (
    <EndpointForm
      endpoint={credentialEndpoints.postCredential}
      title="Create a credential"
      id="mint"
      button="Create"
      done="Credential created"
      fields={{
        partner: {
          label: 'Partner',
          placeholder: DEFAULT_CREDENTIAL.partner,
          hint: 'Reuse a name to add a key to that partner.',
        },
        environment: { label: 'Environment' },
        scopes: { label: 'Scopes' },
        affiliate: { label: 'Affiliate account' },
      }}
    >
      <div class="created" data-created data-keep hidden>
        <p>
          <strong>Credential created. Copy the secret now; it is not shown again here.</strong>
        </p>
        <FormResponse label="New credential" properties="key_id secret partner_id world" />
        <button type="button" class="plain" data-copy-response>
          Copy
        </button>
      </div>
    </EndpointForm>
  );
}
