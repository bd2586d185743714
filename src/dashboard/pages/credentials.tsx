import { ask } from '../../control/call-control.ts';
import { getCredentials } from '../../control/credentials.ts';
import type { PageOf } from '../../kernel/resource.ts';
import { DEFAULT_CREDENTIAL } from '../../market/defaults.ts';
import type { ControlCredential } from '../../market/partners/credential.ts';
import { ENVIRONMENTS, SCOPES } from '../../store/schema/enums.ts';
import { listQuery, orProblem } from '../list-or-problem.ts';
import { Act, ActForm } from '../parts/act.tsx';
import { Badge } from '../parts/badge.tsx';
import { Check, Choice, Field } from '../parts/field.tsx';
import { Secret } from '../parts/secret.tsx';
import { Empty, Fold, Head, Problem } from '../parts/section.tsx';
import { type Column, Pager, Table } from '../parts/table.tsx';
import { Mono, Text } from '../parts/text.tsx';
import { AnswerPlace } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import { command, type Place, segment, to } from '../place.ts';
import type { View } from '../reply.tsx';

/** The keys that enter this world. */
export async function credentialsPage(at: Place): Promise<View> {
  const query = listQuery(at.query, []);
  const found = await orProblem(
    ask<PageOf<'credentials', ControlCredential>>(getCredentials, at, { query }),
  );
  return {
    title: 'Credentials',
    live: ['credentials'],
    content: (
      <>
        <Head title="Credentials">The keys of partners. A key enters this world and no other.</Head>
        <MintForm at={at} />
        {'problem' in found ? (
          <Problem at={at} message={found.problem} />
        ) : (
          <>
            <CredentialTable at={at} credentials={found.credentials} />
            <Pager at={at} next={found.next_cursor} />
          </>
        )}
      </>
    ),
  };
}

function MintForm({ at }: { at: Place }) {
  return (
    <Fold title="Mint a credential" id="mint">
      <ActForm
        at={at}
        call="POST /credentials"
        done="The credential is minted"
        class="form"
        label="Mint a credential"
      >
        <Field
          label="Partner"
          name="partner"
          id="mint-partner"
          placeholder={DEFAULT_CREDENTIAL.partner}
          hint="The same name joins the same partner."
        />
        <Choice
          label="Environment"
          name="environment"
          id="mint-environment"
          options={ENVIRONMENTS}
        />
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map((scope) => (
            <Check label={scope} name="scopes" value={scope} as="item" checked />
          ))}
        </fieldset>
        <Choice
          label="Affiliate account"
          name="affiliate"
          id="mint-affiliate"
          as="boolean"
          options={[
            ['true', 'yes'],
            ['false', 'no'],
          ]}
        />
        <p class="row">
          <button type="submit">Mint</button>
        </p>
        <div class="minted" data-minted data-keep hidden>
          <p>
            <strong>Minted. Keep the secret: here it is shown this once.</strong>
          </p>
          <AnswerPlace label="The new credential" members="key_id secret partner_id world" />
          <button type="button" class="plain" data-copy-answer>
            Copy
          </button>
        </div>
      </ActForm>
    </Fold>
  );
}

function CredentialTable({ at, credentials }: { at: Place; credentials: ControlCredential[] }) {
  if (credentials.length === 0) {
    return (
      <Empty says="No key enters this world." commands={[command(at, 'credentials create')]}>
        Mint one above, or from a terminal.
      </Empty>
    );
  }
  const columns: Column<ControlCredential>[] = [
    {
      heading: 'Key id',
      kind: 'main',
      cell: ({ key_id }) => (
        <>
          <a href={to(at, '/dashboard/requests', { key_id })} data-row title="Its requests">
            <Mono>{key_id}</Mono>
          </a>
          <div>
            <Secret from={to(at, `/credentials/${segment(key_id)}`)} of={key_id} />
          </div>
        </>
      ),
    },
    {
      heading: 'Partner',
      cell: ({ partner, partner_id, affiliate }) => (
        <>
          <Text>{partner}</Text>
          <span class="id">
            {partner_id}
            {affiliate ? ', affiliate' : ''}
          </span>
        </>
      ),
    },
    {
      heading: 'Environment',
      cell: ({ environment, approved }) => (
        <Badge tone={environment === 'SANDBOX' ? 'calm' : approved ? 'good' : 'doubtful'}>
          {environment === 'SANDBOX' ? 'SANDBOX' : approved ? 'LIVE' : 'LIVE, not approved'}
        </Badge>
      ),
    },
    { heading: 'Scopes', kind: 'wide', cell: ({ scopes }) => scopes.join(' ') },
    { heading: 'Minted', cell: ({ created_at }) => <When at={created_at} /> },
    {
      heading: 'Change',
      kind: 'acts',
      cell: ({ key_id, approved }) => (
        <>
          {!approved && (
            <Act
              at={at}
              call={`POST /credentials/${segment(key_id)}/approve`}
              done={`${key_id} has production access`}
              about={key_id}
            >
              Approve
            </Act>
          )}
          <Act
            at={at}
            call={`DELETE /credentials/${segment(key_id)}`}
            done={`${key_id} is revoked`}
            confirm={`Revoke ${key_id}? Requests signed with it are refused from then on.`}
            about={key_id}
          >
            Revoke
          </Act>
        </>
      ),
    },
  ];
  return (
    <Table
      caption="Credentials, by key id"
      columns={columns}
      rows={credentials}
      keyOf={({ key_id }) => key_id}
    />
  );
}
