import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/openapi/setup.ts'],
    pool: 'threads',
    isolate: false,
    // By default one processor is left to the main thread, which has little to do: on two, half the machine.
    maxWorkers: availableParallelism(),
    testTimeout: 20_000,
    // Concurrent tests wait for pauses and limits.
    maxConcurrency: 12,
  },
});
