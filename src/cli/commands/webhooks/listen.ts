import { command } from '../../command.ts';
import { count, flag, text, value } from '../../options.ts';
import { webAddress } from '../../parsers/values.ts';

const OPTIONS = {
  port: count('--port <number>', 'Port on 127.0.0.1, 0 for a free one', 0, 65_535).withDefault(
    '4020',
  ),
  secret: text('--secret <secret>', 'Secret to verify with (default: generated and printed)'),
  register: flag('--register', 'Register the receiver with the sandbox until it stops'),
  as: text(
    '--as <key-id>',
    'Register for the partner of this credential (default: dmk_sandbox_local)',
  ),
  forward: value('--forward <url>', 'Forward each webhook, and return the response', webAddress),
  status: count('--status <code>', 'Respond with this status', 200, 599),
  count: count('--count <n>', 'Stop after this many webhooks', 1),
};

export const listen = command('webhooks listen', {
  summary: 'Start a receiver that verifies and prints webhooks.',
  details:
    'Responds with 200 if the signature is valid and 401 if not, unless --status or --forward is given. --json prints one JSON object per line: first the address of the receiver, then one for each webhook. Ctrl-C stops the receiver, and unregisters the URL that --register registered.',
  options: OPTIONS,
  examples: [
    'sandlot webhooks listen --register',
    'sandlot webhooks listen --port 0 --register --count 1 --json',
    'sandlot webhooks listen --register --forward http://127.0.0.1:3000/webhooks',
    'sandlot webhooks listen --register --status 500',
  ],
  async run(call) {
    const { runReceiver } = await import('./run-receiver.ts');
    await runReceiver(call, call.options);
  },
});
