import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import type { CredentialShape } from '../../shapes.ts';

export const approveCredential = defineCommand({
  path: 'credentials approve',
  summary: 'Switch production access on for a LIVE credential.',
  args: { key_id: argument('key id') },
  examples: ['sandlot credentials approve dmk_sandbox_local'],
  async run({ control, args, out }) {
    const path = `/credentials/${encodeURIComponent(args.key_id)}/approve`;
    out.result(
      await control().post<CredentialShape>(path),
      ({ key_id, environment }) => `${key_id} is approved for ${environment}`,
    );
  },
});
