import type { CredentialWithSecret } from '../../../market/partners/credential.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { showCredential as show } from './show-credential.ts';

export const showCredential = defineCommand({
  path: 'credentials show',
  summary: 'One credential, with its secret.',
  args: { key_id: argument('key id') },
  examples: ['sandlot credentials show dmk_sandbox_local'],
  async run({ control, args, out }) {
    const path = `/credentials/${encodeURIComponent(args.key_id)}`;
    out.result(await control().get<CredentialWithSecret>(path), show);
  },
});
