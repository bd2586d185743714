import type { ControlCredential } from '../../../market/partners/credential.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';

export const revokeCredential = defineCommand({
  path: 'credentials revoke',
  summary: 'Revoke a credential: requests signed with it are refused from now on.',
  args: { key_id: argument('key id') },
  examples: ['sandlot credentials revoke dmk_sandbox_local'],
  async run({ control, args, out }) {
    const path = `/credentials/${encodeURIComponent(args.key_id)}`;
    out.result(
      await control().delete<ControlCredential>(path),
      ({ key_id }) => `${key_id} is revoked`,
    );
  },
});
