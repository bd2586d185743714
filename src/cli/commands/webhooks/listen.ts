import { command } from '../../command.ts';
import { LISTEN_OPTIONS } from './listen-options.ts';

export const listen = command('webhooks listen', {
  summary: 'Start a receiver that verifies and prints webhooks.',
  details:
    'Responds with 200 if the signature is valid and 401 if not, unless --status or --forward is given. --json prints one JSON object per line: first the address of the receiver, then one for each webhook. Ctrl-C stops the receiver, and unregisters the URL that --register registered.',
  options: LISTEN_OPTIONS,
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
