import { defineCommand } from '../../command.ts';
import { flag, option, optionWithDefault } from '../../declare.ts';
import { webAddress, wholeNumber } from '../../values.ts';

export const listenForWebhooks = defineCommand({
  path: 'webhooks listen',
  summary: 'Receive webhooks, verify and print them.',
  details:
    'Answers 200 when the signature is right and 401 when it is not, unless --status or --forward says otherwise. With --json it prints one JSON object per line: first where it listens, then one per webhook. Ctrl-C ends it, and takes away the registration that --register made.',
  options: {
    port: optionWithDefault(
      '--port <number>',
      'port on 127.0.0.1, 0 for a free one',
      wholeNumber(0, 65_535),
      '4020',
    ),
    secret: option('--secret <secret>', 'secret to verify with (default: made up and printed)'),
    register: flag('--register', 'register its url and secret with the sandbox until it ends'),
    as: option(
      '--as <key-id>',
      'register for the partner of this key (default: dmk_sandbox_local)',
    ),
    forward: option('--forward <url>', 'pass each webhook on, and its answer back', webAddress),
    status: option('--status <code>', 'answer with this status', wholeNumber(200, 599)),
    count: option('--count <n>', 'end after this many webhooks', wholeNumber(1)),
  },
  examples: [
    'sandlot webhooks listen --register',
    'sandlot webhooks listen --port 0 --register --count 1 --json',
    'sandlot webhooks listen --register --forward http://127.0.0.1:3000/webhooks',
    'sandlot webhooks listen --register --status 500',
  ],
  async run(call) {
    const { listen } = await import('./listen-loop.ts');
    await listen(call, call.options);
  },
});
