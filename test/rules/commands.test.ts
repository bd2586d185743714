import { expect, test } from 'vitest';
import { COMMANDS } from '../cli/fixtures.ts';

// test/cli/examples.test.ts runs them; those that start servers run in test/e2e and in the golden files.
test.each(COMMANDS)('the help of $path has an example of it', ({ path, examples }) => {
  expect(examples.join('\n')).toContain(`sandlot ${path}`);
});
