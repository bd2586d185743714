import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CommandContext } from '../../cli/context.ts';
import { ControlClient } from '../../client/control-client.ts';
import { UnreachableError } from '../../client/unreachable.ts';
import { lazilyAsync } from '../../kernel/lazily.ts';
import { toolSettings } from '../../sandbox/tool.ts';
import type { RunningServer } from '../../server/start-server.ts';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { createMcpServer } from './server.ts';

/** Serves an agent until it closes stdin. */
export async function serveOverStdio(call: CommandContext): Promise<void> {
  let started: RunningServer | undefined;
  const control = lazilyAsync(async () => {
    const running = await findRunning(call);
    if (running) return running;
    const { openServer } = await import('../../cli/commands/server/run-server.ts');
    const { readConfig } = await import('../../config/read-config.ts');
    const config = readConfig(undefined, toolSettings(call.tools));
    started = await openServer(call, { ...config, ephemeral: true, port: 0 });
    call.out.note(`no sandbox responds; started one in memory at ${started.url}`);
    const { fetch } = call.io;
    return new ControlClient({ baseUrl: started.url, fetch, token: config.control_token });
  });
  const connection = { world: call.world ?? DEFAULT_WORLD, control };
  const input = Readable.from(call.io.stdinChunks());
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      call.io.stdout.write(chunk);
      done();
    },
  });
  const transport = new StdioServerTransport(input, output);
  const session = serveStdio(() => createMcpServer(connection), { transport });
  call.out.note('serving tools on stdin and stdout; "sandlot mcp add" adds them to an agent');
  await once(input, 'close');
  await session.close();
  await started?.close();
}

/** @returns undefined if no sandbox responds and the user has named none */
async function findRunning(call: CommandContext): Promise<ControlClient | undefined> {
  let isNamed = false;
  try {
    isNamed = ['--url', 'SANDLOT_URL'].includes(call.address().source);
    // The world of the agent may not exist yet.
    const running = call.control().in(DEFAULT_WORLD);
    await running.get('/health');
    return running;
  } catch (error) {
    if (error instanceof UnreachableError && !isNamed) return undefined;
    throw error;
  }
}
