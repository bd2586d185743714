import path from 'node:path';
import { DEFAULT_HOST } from '../../../server/exposure.ts';
import { DEFAULT_PORT } from '../../../server/start-server.ts';
import type { CommandContext } from '../../context.ts';
import { type Finding, ok } from './finding.ts';
import { checkConfig, checkNode, checkPort, checkSqlite } from './machine.ts';
import {
  checkClock,
  checkCredential,
  checkSandbox,
  checkWebhooks,
  checkWorlds,
} from './sandbox.ts';
import { checkSpace, checkState } from './state.ts';

/** Runs every check, in the order in which they depend on each other. */
export async function examine(
  context: CommandContext,
  given: { config: string | undefined; port: number | undefined },
): Promise<Finding[]> {
  const { io, tools } = context;
  const { finding: configured, config } = checkConfig(io.cwd, given.config, tools);
  const { finding: reached, status } = await checkSandbox(context);
  const dataDir = folderOf(context, config.data_dir);
  return [
    checkNode(),
    await checkSqlite(),
    configured,
    ...(config.ephemeral === true
      ? [ok('state', 'in memory')]
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

/** Returns the folder that `start` uses: --data-dir, else that of the configuration file. */
function folderOf({ dataDir, io }: CommandContext, configured: string | undefined): string {
  const isDefault = dataDir === path.resolve(io.cwd, '.sandlot');
  return isDefault && configured !== undefined ? path.resolve(io.cwd, configured) : dataDir;
}
