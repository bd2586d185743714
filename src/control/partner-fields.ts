import { z } from 'zod';
import {
  flag,
  keyId,
  missingOr,
  oneOf,
  requiredText,
  visibleText,
  webhookSecret,
  webhookUrl,
} from '../http/fields.ts';
import { DEFAULT_CREDENTIAL } from '../market/defaults.ts';
import { ENVIRONMENTS, SCOPES } from '../store/schema/enums.ts';

/** What a credential may be minted with; also what the configuration file lists. */
export const newCredential = () =>
  z.strictObject({
    scopes: z
      .array(oneOf(SCOPES), { error: missingOr('must be a list of scopes') })
      .min(1, `needs at least one of ${SCOPES.join(', ')}`)
      .default([...SCOPES]),
    environment: oneOf(ENVIRONMENTS).default('SANDBOX'),
    partner: requiredText(100).default(DEFAULT_CREDENTIAL.partner),
    affiliate: flag().default(true),
    golive: flag().default(true).describe('Whether its requests count in the go-live report.'),
    key_id: keyId().optional(),
    secret: visibleText(255).optional(),
    world: requiredText(63).optional(),
  });

/** A webhook registration; also what the configuration file lists. */
export const newRegistration = () =>
  z.strictObject({
    partner: requiredText(100).default(DEFAULT_CREDENTIAL.partner),
    environment: oneOf(ENVIRONMENTS).default('SANDBOX'),
    url: webhookUrl(),
    secret: webhookSecret(),
  });
