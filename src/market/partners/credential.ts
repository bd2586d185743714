import { z } from 'zod';
import { countedPage, type Fields, type Output, resource } from '../../kernel/resource.ts';
import { OWNER_HEADINGS } from '../../store/owner-fields.ts';
import { ENVIRONMENTS, SCOPES } from '../../store/schema/enums.ts';
import type { Credential } from '../../store/schema/partners.ts';

export type CredentialRow = Credential & { partner: string; world: string };

export const credential = resource(
  'Credential',
  'A key ID with its permissions, without the secret.',
  ({ text, id, value, oneOf, flag, time }: Fields<CredentialRow>) => ({
    key_id: text(),
    partner_id: id('ptr'),
    partner: text(),
    scopes: value(() => z.array(z.enum(SCOPES))),
    environment: oneOf(ENVIRONMENTS),
    affiliate: flag(),
    approved: flag(),
    golive: flag(),
    world: text(),
    created_at: time(),
  }),
).display(
  {
    key_id: ['Key ID', (item) => item.key_id, 'id'],
    ...OWNER_HEADINGS,
    environment: [
      'Environment',
      (item) => item.environment + (item.approved ? '' : ', not approved'),
      'status',
    ],
    scopes: 'Scopes',
    affiliate: 'Affiliate',
    golive: 'Go-live',
    world: 'World',
    created_at: 'Created',
  },
  ['key_id', 'partner', 'environment', 'scopes', 'golive'],
);
export const credentialWithSecret = credential
  .extend(
    'CredentialWithSecret',
    'A key ID with its permissions and its secret.',
    ({ text }: Fields<CredentialRow>) => ({ secret: text() }),
  )
  .display({ secret: 'Secret' });
export type CredentialWithSecret = Output<typeof credentialWithSecret>;

export const credentialPage = countedPage(
  credential,
  'CredentialPage',
  'credentials',
  'One page of the credentials, by key ID.',
);
