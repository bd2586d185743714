import { defineCommand } from '../../command.ts';
import { flag, restArguments } from '../../declare.ts';
import { ExitWith } from '../../failures.ts';
import { CONTROL_TOKEN_OPTIONS, SANDBOX_OPTIONS } from './sandbox-options.ts';

export const exec = defineCommand({
  path: 'exec',
  summary: 'Run a command beside a sandbox of its own, and exit as it does.',
  details:
    'The sandbox is kept in memory, on a free port unless --port is given. The command finds SANDLOT_URL, SANDLOT_KEY_ID and SANDLOT_SECRET in its environment. Signals are passed on to it, and it ends when this process is killed. At the end a summary on stderr says how many requests, events and webhooks there were, and which webhooks failed.',
  args: { command: restArguments('the command and its arguments') },
  options: {
    ...SANDBOX_OPTIONS,
    ...CONTROL_TOKEN_OPTIONS,
    quiet: flag('-q, --quiet', 'leave the summary out'),
  },
  passThrough: true,
  examples: ['sandlot exec -- npm test', 'sandlot exec --seed 7 -- printenv SANDLOT_URL'],
  async run(call) {
    const { readSettings } = await import('./settings.ts');
    const { runBeside } = await import('./run-beside.ts');
    const settings = readSettings({
      ...call.options,
      ephemeral: true,
      controlToken: call.controlToken(call.options),
    });
    // A port in the configuration file is that of `start`: two of these must not meet.
    settings.port = call.options.port ?? 0;
    // So is the address under which a proxy serves it.
    settings.public_url = call.options.publicUrl;
    throw new ExitWith(await runBeside(call, settings, call.args.command, call.options));
  },
});
