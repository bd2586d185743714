import type { InProcessSandbox } from '../../../../src/index.ts';
import { type Runtime, systemRuntime } from '../../../../src/kernel/runtime.ts';
import type { Report } from '../../../../src/tools/golive/report.ts';
import { sandbox, sharedSandbox } from '../../../support/sandbox.ts';
import type { Access } from './node/client.ts';

/** A sandbox in whose real time only the pauses of its clients take time, which they skip. */
export interface Stage {
  sandbox: InProcessSandbox;
  now(): number;
  skip(ms: number): void;
}

/** A stage for all tests of a file. */
export async function sharedStage(): Promise<Stage> {
  return stageOf(sharedSandbox);
}

/** A stage for one test. */
export async function ownStage(changed: Partial<Runtime>): Promise<Stage> {
  return stageOf(sandbox, changed);
}

async function stageOf(open: typeof sandbox, changed: Partial<Runtime> = {}): Promise<Stage> {
  let skipped = 0;
  const start = systemRuntime.now();
  const now = () => start + skipped;
  const monotonic = () => skipped;
  const runtime: Runtime = { ...systemRuntime, now, monotonic, ...changed };
  return {
    sandbox: await open({ runtime }),
    now,
    skip(ms) {
      skipped += Math.ceil(ms);
    },
  };
}

let count = 0;

/** Creates a world with a credential of its own. */
export async function newWorld(stage: Stage): Promise<{ world: string; access: Access }> {
  count += 1;
  const world = `w${count}`;
  await stage.sandbox.control.post('/worlds', { name: world });
  return { world, access: await accessTo(stage, { world }) };
}

/** Creates a credential. */
export async function accessTo({ sandbox: on, now, skip }: Stage, fields: object): Promise<Access> {
  const made = await on.control.post<{ key_id: string; secret: string }>('/credentials', fields);
  const { key_id: keyId, secret } = made;
  const clock = { now, sleep: async (ms: number) => skip(ms) };
  return { url: on.url, keyId, secret, fetch: on.fetch, clock };
}

/** Returns the ids of the items of a world with this status. */
export async function itemsWith(
  stage: Stage,
  world: string,
  status: Report['items'][number]['status'],
  level?: string,
): Promise<string[]> {
  const { items } = await stage.sandbox.control.in(world).get<Report>('/golive');
  return items
    .filter((item) => item.status === status && (level === undefined || item.level === level))
    .map(({ id }) => id);
}
