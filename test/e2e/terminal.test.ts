import { expect } from 'vitest';
import { command } from '../support/command-server.ts';
import { onTerminal, terminalTest } from '../support/terminal.ts';
import { serve } from '../support/unread.ts';

// test/cli/output.test.ts and test/cli/inventory.test.ts test the layout, with terminals of any width.

const COLOR = '\u001b[';

terminalTest('tables fit the terminal and have colors, which a pipe does not get', async () => {
  const { cwd } = await serve();
  const price = ['--price', '1999.00', '--category', 'Coffee beans and coffee shops in Tokyo'];
  expect((await command(cwd, ['inventory', 'add', 'kohi.com', ...price])).status).toBe(0);
  const args = ['inventory', 'list', '--limit', '5'];
  const { status, raw, lines } = await onTerminal(80, args, { cwd });
  expect(status).toBe(0);
  expect(raw).toContain(COLOR);
  expect(lines[1]).toMatch(/^kohi\.com +\$1,999\.00 .*listed +Coff.*…$/);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  expect((await onTerminal(80, args, { cwd, more: '| cat' })).raw).not.toContain(COLOR);
});
