import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { FIRST_SESSION } from '../../example-ids.ts';

interface CancelledSession {
  session_id: string;
  domain: string;
  status: string;
}

export const cancelCheckout = defineCommand({
  path: 'checkout cancel',
  summary: 'Cancel a hosted checkout as its buyer would.',
  args: { id: argument('session id') },
  examples: [`sandlot checkout cancel ${FIRST_SESSION}`],
  async run({ args, control, out }) {
    const path = `/checkout-sessions/${encodeURIComponent(args.id)}/cancel`;
    const session = await control().post<CancelledSession>(path);
    out.result(
      session,
      ({ session_id, domain, status }) => `${session_id} for ${domain} is ${status}`,
    );
  },
});
