import path from 'node:path';
import { DEFAULT_HOST } from '../../../server/exposure.ts';
import { DEFAULT_PORT } from '../../../server/start-server.ts';
import type { CommandContext } from '../../command.ts';
import { checkConfig } from './config.ts';
import { checkCredential } from './credential.ts';
import { type Finding, fine } from './finding.ts';
import { checkNode, checkSqlite } from './machine.ts';
import { checkPort } from './port.ts';
import { checkClock, checkSandbox, checkWorlds } from './running.ts';
import { checkSpace, checkState } from './state.ts';
import { checkWebhooks } from './webhooks.ts';

/** Every check, in the order in which one thing needs another. */
export async function examine(
  context: CommandContext,
  given: { config: string | undefined; port: number | undefined },
): Promise<Finding[]> {
  const { io } = context;
  const { finding: configured, config } = checkConfig(io.cwd, given.config);
  const { finding: reached, status } = await checkSandbox(context);
  const dataDir = folderOf(context, config.data_dir);
  return [
    checkNode(),
    await checkSqlite(),
    configured,
    ...(config.ephemeral === true
      ? [fine('state', 'in memory')]
      : [checkState(dataDir), checkSpace(dataDir)]),
    await checkPort(config.host ?? DEFAULT_HOST, given.port ?? config.port ?? DEFAULT_PORT, {
      running: status && context.address().url,
      fetch: io.fetch,
    }),
    reached,
    ...(status === undefined
      ? []
      : [
          ...checkWorlds(status),
          checkClock(context, status),
          await checkCredential(context),
          ...(await checkWebhooks(context)),
        ]),
  ];
}

/** As `start` sees it: --data-dir, else what the configuration file says. */
function folderOf({ dataDir, io }: CommandContext, configured: string | undefined): string {
  const isDefault = dataDir === path.resolve(io.cwd, '.sandlot');
  return isDefault && configured !== undefined ? path.resolve(io.cwd, configured) : dataDir;
}
