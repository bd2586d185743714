import type { ControlCredential } from '../../../market/partners/credential.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';

export const approveCredential = defineCommand({
  path: 'credentials approve',
  summary: 'Switch production access on for a LIVE credential.',
  args: { key_id: argument('key id') },
  details:
    'A LIVE credential answers 403 until then. A SANDBOX credential works from the start and needs no approval.',
  examples: ['sandlot credentials approve dmk_live_acme'],
  async run({ control, args, out }) {
    const path = `/credentials/${encodeURIComponent(args.key_id)}/approve`;
    out.result(
      await control().post<ControlCredential>(path),
      ({ key_id, environment }) => `${key_id} is approved for ${environment}`,
    );
  },
});
