import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest. */
const LONGEST = [
  'dashboard/browser',
  'torture/campaigns',
  'e2e/documents',
  'reference/snippets',
  'pages/browser',
  'reference/browser',
  'e2e/server',
  'reference/examples',
  'e2e/exposure',
  'golive/languages',
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
    pool: 'threads',
    isolate: false,
    // By default one processor is left to the main thread, which has little to do: on two, half the machine.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    testTimeout: 20_000,
    // Concurrent tests wait for pauses and limits.
    maxConcurrency: 12,
  },
});
