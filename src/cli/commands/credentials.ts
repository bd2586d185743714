import { shellQuote } from '../../client/curl.ts';
import type { CredentialWithSecret } from '../../market/partners/credential.ts';
import { action, type CommandModule, command, list } from '../command.ts';
import { optionsOf } from '../endpoints.ts';
import { choice, flag, text } from '../options.ts';

const FORMATS = ['text', 'env', 'shell', 'json'] as const;

const credentialModule = () => import('../../market/partners/credential.ts');

const create = command('credentials create', {
  summary: 'Create a credential: a key ID and a secret.',
  details:
    'Prints the secret, and sandlot credentials show prints it again. --format env prints lines for a .env file, --format shell prints lines for eval. A LIVE credential is rejected until you approve it.',
  options: {
    ...optionsOf('POST /credentials', { only: ['scopes', 'environment', 'partner', 'secret'] }),
    affiliate: flag('--no-affiliate', 'Do not link it to an affiliate account'),
    golive: flag('--no-golive', 'Leave its requests out of the go-live report'),
    key_id: text('--key-id <id>', 'Use this key ID instead of a generated one'),
    format: choice('--format <format>', FORMATS.join(', '), FORMATS).withDefault('text'),
  },
  examples: [
    'sandlot credentials create',
    'sandlot credentials create --scopes search,buy --partner acme',
    'sandlot credentials create --env LIVE --format env',
    'sandlot credentials create --no-golive --partner misuse',
    'eval "$(sandlot credentials create --format shell)"',
  ],
  async run({ control, options: { format, ...input }, address, out, suggest }) {
    const { credentialWithSecret } = await credentialModule();
    const credential = await control().post<CredentialWithSecret>('/credentials', input);
    out.result(credential, (result, { colors, details }) => {
      if (format === 'json') return JSON.stringify(result, null, 2);
      if (format === 'text') {
        return [
          colors.success('Credential created.'),
          ...details(credentialWithSecret.details(), result),
        ];
      }
      const variables = {
        SANDLOT_URL: address().url,
        SANDLOT_KEY_ID: result.key_id,
        SANDLOT_SECRET: result.secret,
      };
      const prefix = format === 'shell' ? 'export ' : '';
      return Object.entries(variables).map(
        ([name, value]) => `${prefix}${name}=${shellQuote(value)}`,
      );
    });
    if (!credential.approved) {
      const approve = suggest(`credentials approve ${credential.key_id}`);
      out.note(`Not approved yet. Approve it with: ${approve}`);
    }
  },
});

export const credentials: CommandModule = {
  group: 'Credentials',
  nouns: { credentials: 'Create, list, approve and revoke API keys.' },
  commands: [
    create,
    list('credentials list', 'GET /credentials', {
      resource: async () => (await credentialModule()).credential,
      examples: ['sandlot credentials list', 'sandlot credentials list --limit 100 --json'],
    }),
    action('credentials show', 'GET /credentials/{key_id}', {
      resource: async () => (await credentialModule()).credentialWithSecret,
      examples: ['sandlot credentials show dmk_sandbox_local'],
    }),
    action('credentials approve', 'POST /credentials/{key_id}/approve', {
      details:
        'Requests of a LIVE credential get 403 until then. A SANDBOX credential needs no approval.',
      examples: ['sandlot credentials approve dmk_live_acme'],
      format: ({ key_id, environment }) => `Approved ${key_id} for ${environment}`,
    }),
    action('credentials revoke', 'DELETE /credentials/{key_id}', {
      examples: ['sandlot credentials revoke dmk_sandbox_local'],
      format: ({ key_id }) => `Revoked ${key_id}`,
    }),
  ],
};
