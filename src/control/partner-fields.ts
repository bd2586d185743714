import { z } from 'zod';
import { keyId, requiredText, secretText, storedName, webhookUrl } from '../http/fields.ts';
import { DEFAULT_CREDENTIAL } from '../market/defaults.ts';
import { ENVIRONMENTS, SCOPES } from '../store/schema/enums.ts';

/** The input of a new credential, also in the configuration file. */
export const newCredential = () =>
  z.strictObject({
    scopes: z
      .array(z.enum(SCOPES))
      .min(1, `needs at least one of ${SCOPES.join(', ')}`)
      .overwrite((scopes) => [...new Set(scopes)])
      .default([...SCOPES])
      .describe('Scopes of the key, all by default.'),
    environment: z.enum(ENVIRONMENTS).default('SANDBOX').describe('SANDBOX or LIVE.'),
    partner: requiredText(100)
      .default(DEFAULT_CREDENTIAL.partner)
      .describe('Name or ID of the partner. A new name creates one.'),
    affiliate: z.boolean().default(true).describe('Linked to an affiliate account.'),
    golive: z.boolean().default(true).describe('Whether its requests count in the go-live report.'),
    key_id: keyId().optional().describe('Key ID to use instead of a generated one.'),
    secret: secretText().optional().describe('Secret to use instead of a generated one.'),
    world: storedName().optional().describe('World to create it in.'),
  });

/** The input of a webhook registration, also in the configuration file. */
export const newRegistration = () =>
  z.strictObject({
    partner: requiredText(100)
      .default(DEFAULT_CREDENTIAL.partner)
      .describe('Name or ID of the partner. A new name creates one.'),
    environment: z.enum(ENVIRONMENTS).default('SANDBOX').describe('SANDBOX or LIVE.'),
    url: webhookUrl().describe('URL that receives webhooks.'),
    secret: secretText().describe('Secret that signs webhooks.'),
  });
