import { z } from 'zod';
import { idOf, page, record, time } from '../../kernel/answer.ts';
import { ENVIRONMENTS, SCOPES } from '../../store/schema/words.ts';

export const credentialSchema = record(
  'Credential',
  { says: 'A key with what it may do, without its secret.' },
  () => ({
    key_id: z.string(),
    partner_id: idOf('ptr'),
    partner: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    environment: z.enum(ENVIRONMENTS),
    affiliate: z.boolean(),
    approved: z.boolean(),
    world: z.string(),
    created_at: time(),
  }),
);

export const credentialWithSecretSchema = record(
  'CredentialWithSecret',
  { says: 'A key with its secret and what it may do.' },
  () => ({ ...credentialSchema().shape, secret: z.string() }),
);

export const credentialPageSchema = page('CredentialPage', 'credentials', credentialSchema);
