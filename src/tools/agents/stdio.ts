import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CommandContext } from '../../cli/context.ts';
import { ControlClient } from '../../client/control-client.ts';
import { UnreachableError } from '../../client/unreachable.ts';
import { lazilyAsync } from '../../kernel/lazily.ts';
import type { RunningServer } from '../../server/start-server.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import { createMcpServer } from './server.ts';

/** Serves an agent until it closes stdin. */
export async function serveOverStdio(call: CommandContext): Promise<void> {
  let server: RunningServer | undefined;
  let foundUrl: string | undefined;
  const start = lazilyAsync(async () => {
    // The call at the end, which waits for a sandbox that is starting, must not start one.
    if (input.closed) throw new Error('the client has closed stdin');
    const { openServer } = await import('../../cli/commands/server/run-server.ts');
    const { readConfig } = await import('../../config/read-config.ts');
    // The configured addresses are those of `start`: this sandbox has a free port of this machine.
    const { host: _host, public_url: _url, ...config } = readConfig(undefined);
    const token = call.controlToken() ?? config.control_token;
    server = await openServer(call, { ...config, ephemeral: true, port: 0, control_token: token });
    call.out.note(`no sandbox responds; started one in memory at ${server.url}`);
    return new ControlClient({ baseUrl: server.url, fetch: call.io.fetch, token });
  });
  const control = async () => {
    const found = server ? undefined : await findRunningSandbox(call);
    if (found) foundUrl = found.url;
    // The one found before may start again, on another port: until then, no other one is started or used.
    else if (!server && foundUrl !== undefined) throw new UnreachableError(foundUrl);
    return found ?? start();
  };
  const connection = { world: call.world ?? DEFAULT_WORLD, control };
  const input = Readable.from(call.io.stdinChunks());
  const output = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      call.io.stdout.write(chunk);
      callback();
    },
  });
  const transport = new StdioServerTransport(input, output);
  const session = serveStdio(() => createMcpServer(connection), { transport });
  call.out.note('serving tools on stdin and stdout; "sandlot mcp add" adds them to an agent');
  await once(input, 'close');
  await session.close();
  // A call may still be starting a sandbox, which would keep this process running.
  await start().catch(() => {});
  await server?.close();
}

/** Finds the sandbox that the user named, or that of this folder, if it responds. @throws if a named one does not */
async function findRunningSandbox(call: CommandContext): Promise<ControlClient | undefined> {
  const isNamedByUser = ['--url', 'SANDLOT_URL'].includes(call.address().source);
  try {
    // The world of the agent may not exist yet.
    const client = call.control().in(DEFAULT_WORLD);
    await client.get('/health');
    return isNamedByUser || (await call.otherFolder()) === undefined ? client : undefined;
  } catch (error) {
    if (error instanceof UnreachableError && !isNamedByUser) return undefined;
    throw error;
  }
}
