import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/openapi/setup.ts'],
    pool: 'threads',
    isolate: false,
    testTimeout: 20_000,
  },
});
