import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Tests leave nothing in the home folder: Vitest keeps a token for its UI, and fish makes a folder.
process.env.XDG_DATA_HOME = path.join(import.meta.dirname, 'node_modules/.vitest/data');
process.env.XDG_CONFIG_HOME = path.join(import.meta.dirname, 'node_modules/.vitest/config');

// No test reaches another sandbox or a proxy, and what it starts prints without colors.
for (const name of Object.keys(process.env)) {
  const isOwn = name.startsWith('SANDLOT_') && !name.startsWith('SANDLOT_TEST_');
  if (isOwn || /^(?:\w+_proxy|FORCE_COLOR|NO_COLOR)$/i.test(name)) delete process.env[name];
}

/** The files that take longest. */
const LONGEST = [
  'tools/explore/must-hold',
  'e2e/documents',
  'dashboard/browser',
  'tools/golive/clients/clients',
  'cli/examples',
  'reference/browser',
  'tools/explore/findings',
  'tools/explore/kinds',
  'e2e/server',
  'tools/receiver-tests/incorrect-receivers',
  'tools/repro/acceptance',
  'tools/repro/planted-bugs',
  'tools/golive/clients/languages',
  'tools/repro/malformed',
  'tools/explore/interrupt',
  'reference/snippets',
];

/** Starts the longest files first, so that none runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return place < 0 ? LONGEST.length : place;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/openapi/setup.ts'],
    // The start of a child process copies the page tables of its parent, which threads share and make larger.
    pool: 'forks',
    // Most objects of a test are garbage soon: with more room for young ones, fewer are copied.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=32'],
    isolate: false,
    // One more than processors: tests also wait for child processes, browsers and pauses.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // A busy machine is slow; what hangs ends nevertheless.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // Concurrent tests wait for pauses and limits.
    maxConcurrency: 12,
  },
});
