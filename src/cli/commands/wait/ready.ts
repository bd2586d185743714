import { UnreachableError } from '../../../client/control-client.ts';
import { type CommandContext, defineCommand } from '../../command.ts';
import { flag } from '../../declare.ts';
import { UsageError } from '../../failures.ts';
import { TIMEOUT } from './timeout.ts';

const LOOK_AGAIN_MS = 100;
/** A port may be open with nobody there to answer. */
const PATIENCE_MS = 2_000;

export const wait = defineCommand({
  path: 'wait',
  summary: 'Wait until the sandbox is ready, or for an order, events or webhooks.',
  options: { ready: flag('--ready', 'until a sandbox takes requests'), timeout: TIMEOUT },
  examples: ['sandlot wait --ready', 'sandlot wait --ready --timeout 2m'],
  async run(call) {
    const { options, out } = call;
    if (!options.ready) {
      throw new UsageError('expected --ready, or one of: wait order, wait event, wait webhook');
    }
    out.result(
      await untilReady(call, options.timeout),
      (document, { paint }) => `${paint.good('●')} ${document.url} is ready`,
    );
  },
});

/** Where the sandbox is may become known only while it starts, so it is looked up every time. */
async function untilReady({ address, control, io }: CommandContext, timeoutMs: number) {
  const { monotonic, sleep } = io.runtime;
  const deadline = monotonic() + timeoutMs;
  for (;;) {
    try {
      const { url } = address();
      await control(AbortSignal.timeout(PATIENCE_MS)).get('/health');
      return { ready: true, url };
    } catch (error) {
      if (!(error instanceof UnreachableError) || monotonic() >= deadline) throw error;
    }
    await sleep(LOOK_AGAIN_MS);
  }
}
