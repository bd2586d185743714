import { shellQuote } from '../../../client/curl.ts';
import type { CredentialWithSecret } from '../../../market/partners/credential.ts';
import { ENVIRONMENTS, SCOPES } from '../../../store/schema/enums.ts';
import { defineCommand } from '../../command.ts';
import { flag, option, optionWithDefault } from '../../declare.ts';
import { listOf, oneOf } from '../../values.ts';
import { showCredential } from './show-credential.ts';

const FORMATS = ['text', 'env', 'shell', 'json'] as const;

export const createCredential = defineCommand({
  path: 'credentials create',
  summary: 'Mint a key id and secret.',
  details:
    'The secret is shown here in full. --format env gives lines for a .env file, --format shell lines for eval. A LIVE credential is refused until it is approved.',
  options: {
    scopes: option('--scopes <list>', `of ${SCOPES.join(',')} (default: all)`, listOf(SCOPES)),
    environment: option(
      '--env <environment>',
      'SANDBOX or LIVE (default: SANDBOX)',
      oneOf(ENVIRONMENTS),
    ),
    partner: option('--partner <name>', 'the same name joins the same partner (default: local)'),
    affiliate: flag('--no-affiliate', 'do not link it to an affiliate account'),
    keyId: option('--key-id <id>', 'use this key id instead of a made-up one'),
    secret: option('--secret <secret>', 'use this secret instead of a made-up one'),
    format: optionWithDefault(
      '--format <format>',
      'text, env, shell or json',
      oneOf(FORMATS),
      'text',
    ),
  },
  examples: [
    'sandlot credentials create',
    'sandlot credentials create --scopes search,buy --partner acme',
    'sandlot credentials create --env LIVE --format env',
    'eval "$(sandlot credentials create --format shell)"',
  ],
  async run({ control, options, address, out }) {
    const credential = await control().post<CredentialWithSecret>('/credentials', {
      scopes: options.scopes,
      environment: options.environment,
      partner: options.partner,
      affiliate: options.affiliate,
      key_id: options.keyId,
      secret: options.secret,
    });
    const variables = {
      SANDLOT_URL: address().url,
      SANDLOT_KEY_ID: credential.key_id,
      SANDLOT_SECRET: credential.secret,
    };
    out.result(credential, (document, paper) => {
      if (options.format === 'json') return JSON.stringify(document, null, 2);
      if (options.format === 'text') return showCredential(document, paper);
      return Object.entries(variables).map(([name, value]) =>
        options.format === 'shell' ? `export ${name}=${shellQuote(value)}` : `${name}=${value}`,
      );
    });
    if (!credential.approved) {
      out.note(
        `not approved yet; approve it with: sandlot credentials approve ${credential.key_id}`,
      );
    }
  },
});
