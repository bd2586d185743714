import { defineCommand } from '../../command.ts';
import { flag, option } from '../../declare.ts';
import { CheckFailedError } from '../../failures.ts';
import { CONTROL_TOKEN_OPTIONS, SANDBOX_OPTIONS } from './sandbox-options.ts';
import { showStatus } from './show-status.ts';

export const start = defineCommand({
  path: 'start',
  summary: 'Start a sandbox and keep it running.',
  details:
    "State is kept in .sandlot in the working directory. Everything that can be said here can stand in sandlot.config.json; `sandlot init` writes one.\n\nEvery caller of the control API needs the control token where one is given. On an address that is not loopback (--host), one of at least 16 characters is required, dmk_sandbox_local is left out unless --default-credential is given, and keys come from the system's random source unless --seed is given.",
  options: {
    ...SANDBOX_OPTIONS,
    ...CONTROL_TOKEN_OPTIONS,
    dataDir: option('--data-dir <dir>', 'folder of the state (default: .sandlot)'),
    ephemeral: flag('--ephemeral', 'keep the state in memory'),
    detach: flag('-d, --detach', 'return when the sandbox is ready, and leave it running'),
  },
  examples: [
    'sandlot start',
    'sandlot start --detach',
    'sandlot start --port 0 --ephemeral',
    'sandlot start --seed 42 --frozen-at 2026-01-05T09:00:00Z',
  ],
  async run(call) {
    const { readSettings } = await import('./settings.ts');
    const settings = readSettings({
      ...call.options,
      controlToken: call.controlToken(call.options),
    });
    if (call.options.detach) {
      const { startDetached } = await import('../../../server/detach.ts');
      const { describeExposure } = await import('../../../server/exposure.ts');
      const started = await startDetached(settings);
      if ('failure' in started) throw new CheckFailedError(started.failure);
      call.out.result(started.status, showStatus);
      for (const line of describeExposure(settings)) call.out.note(line);
      return;
    }
    const { runServer } = await import('./run-server.ts');
    await runServer(call, settings);
  },
});
