import type { CommandModule } from './command.ts';

/** A file of commands, and the first words of its commands. It is loaded if one of them is used. */
export interface CommandFile {
  words: readonly string[];
  load(): Promise<CommandModule>;
}

function file(words: string, load: CommandFile['load']): CommandFile {
  return { words: words.split(' '), load };
}

/** Every file of commands, in the order of the help. */
export const COMMAND_FILES: readonly CommandFile[] = [
  file(
    'start stop exec init status health',
    async () => (await import('./commands/server.ts')).server,
  ),
  file('doctor', async () => (await import('./commands/doctor.ts')).doctor),
  file('credentials', async () => (await import('./commands/credentials.ts')).credentials),
  file('inventory', async () => (await import('./commands/inventory.ts')).inventory),
  file('orders', async () => (await import('./commands/orders.ts')).orders),
  file('settlements', async () => (await import('./commands/sales.ts')).settlements),
  file(
    'checkout transactions payouts brokerage',
    async () => (await import('./commands/sales.ts')).sales,
  ),
  file('webhooks', async () => (await import('./commands/webhooks.ts')).webhooks),
  file('events', async () => (await import('./commands/events.ts')).events),
  file('faults', async () => (await import('./commands/faults.ts')).faults),
  file('clock', async () => (await import('./commands/clock.ts')).clock),
  file('wait idle', async () => (await import('./commands/wait.ts')).waits),
  file('worlds', async () => (await import('./commands/worlds.ts')).worlds),
  file('snapshots', async () => (await import('./commands/snapshots.ts')).snapshots),
  file('reset rate-limits', async () => (await import('./commands/worlds.ts')).resets),
  file('requests logs', async () => (await import('./commands/requests.ts')).requests),
  file('repro', async () => (await import('./commands/repro.ts')).repro),
  file('request sign verify', async () => (await import('./commands/signing.ts')).signing),
  file('coverage', async () => (await import('./commands/coverage.ts')).coverage),
  file('golive', async () => (await import('./commands/golive.ts')).goliveReport),
  file('openapi', async () => (await import('./commands/openapi.ts')).openapi),
  file('completion skill', async () => (await import('./commands/completion.ts')).completion),
];

export function loadCommands(
  files: readonly CommandFile[] = COMMAND_FILES,
): Promise<CommandModule[]> {
  return Promise.all(files.map((file) => file.load()));
}
