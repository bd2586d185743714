import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/openapi/setup.ts'],
    pool: 'threads',
    isolate: false,
    // One more than there are processors: many tests wait for processes and sockets.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 20_000,
  },
});
