import { expect, onTestFinished } from 'vitest';
import { ControlClient } from '../../../src/client/control-client.ts';
import type { Fetch } from '../../../src/client/fetch.ts';
import {
  type Key,
  type PartnerRequest,
  sendSigned,
  signPartnerRequest,
} from '../../../src/client/partner-client.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { DEFAULT_CREDENTIAL } from '../../../src/market/defaults.ts';
import type { SandboxOptions } from '../../../src/sandbox/options.ts';
import { openSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { type ExportReproOptions, replayRepro } from '../../../src/tools/repro/api.ts';
import { exportRepro } from '../../../src/tools/repro/export.ts';
import type { Repro } from '../../../src/tools/repro/format.ts';
import { repro } from '../../../src/tools/repro/index.ts';
import { readRepro } from '../../../src/tools/repro/repro-lines.ts';
import type { ExportedRepro } from '../../../src/tools/repro/result.ts';
import type { World } from '../../../src/world/world.ts';

const URL = 'http://localhost';
export const KEY: Key = { key_id: DEFAULT_CREDENTIAL.keyId, secret: DEFAULT_CREDENTIAL.secret };

/** A sandbox in memory that a test exports. */
export interface RecordedSandbox {
  sandbox: Sandbox;
  close(): Promise<void>;
  world: World;
  /** Real time, Unix ms. */
  now(): number;
  fetch: Fetch;
  control: ControlClient;
  call(request: PartnerRequest, key?: Key): Promise<Response>;
  exportRepro(options?: ExportReproOptions): Promise<ExportedRepro>;
}

export async function recordedSandbox(options: SandboxOptions = {}): Promise<RecordedSandbox> {
  const opened = await openSandbox({ inventory: 50, tools: [repro], ...options });
  const { app, close } = opened;
  onTestFinished(close);
  const runtime = options.runtime ?? systemRuntime;
  const fetch: Fetch = async (target, init) =>
    app.fetch(new Request(target.startsWith('/') ? URL + target : target, init as RequestInit));
  const world = opened.worlds.require('default');
  return {
    sandbox: opened,
    close,
    world,
    now: runtime.now,
    fetch,
    control: new ControlClient({ baseUrl: URL, fetch }),
    call: (request, key = KEY) =>
      sendSigned(fetch, signPartnerRequest(URL, key, request, runtime.now())),
    exportRepro: (options = {}) => exportRepro({ ...opened, runtime }, world, options),
  };
}

/** Exports a file that replays. */
export async function replayedFile(
  at: Pick<RecordedSandbox, 'exportRepro'>,
  options: ExportReproOptions = { last: 1 },
): Promise<Repro> {
  const { bytes, summary } = await at.exportRepro(options);
  expect(summary).toMatchObject({ verified: true, problem: null });
  expect(await replayRepro(bytes)).toMatchObject({ result: 'reproduced', divergence: [] });
  return readRepro(bytes);
}
