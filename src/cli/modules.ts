import type { CommandModule } from './command.ts';

/** A file of commands, and the first words of its commands. It is loaded if one of them is used. */
export interface CommandFile {
  words: readonly string[];
  load(): Promise<CommandModule>;
}

/** Every file of commands, in the order of the help. */
export const COMMAND_FILES: readonly CommandFile[] = [
  {
    words: ['start', 'stop', 'exec', 'init', 'status', 'health'],
    load: async () => (await import('./commands/server.ts')).server,
  },
  { words: ['doctor'], load: async () => (await import('./commands/doctor.ts')).doctor },
  {
    words: ['credentials'],
    load: async () => (await import('./commands/credentials.ts')).credentials,
  },
  { words: ['inventory'], load: async () => (await import('./commands/inventory.ts')).inventory },
  { words: ['orders'], load: async () => (await import('./commands/orders.ts')).orders },
  { words: ['settlements'], load: async () => (await import('./commands/sales.ts')).settlements },
  {
    words: ['checkout', 'transactions', 'payouts', 'brokerage'],
    load: async () => (await import('./commands/sales.ts')).sales,
  },
  { words: ['webhooks'], load: async () => (await import('./commands/webhooks.ts')).webhooks },
  { words: ['events'], load: async () => (await import('./commands/events.ts')).events },
  { words: ['faults'], load: async () => (await import('./commands/faults.ts')).faults },
  { words: ['clock'], load: async () => (await import('./commands/clock.ts')).clock },
  { words: ['wait', 'idle'], load: async () => (await import('./commands/wait.ts')).waits },
  { words: ['worlds'], load: async () => (await import('./commands/worlds.ts')).worlds },
  { words: ['snapshots'], load: async () => (await import('./commands/snapshots.ts')).snapshots },
  {
    words: ['reset', 'rate-limits'],
    load: async () => (await import('./commands/worlds.ts')).resets,
  },
  {
    words: ['requests', 'logs'],
    load: async () => (await import('./commands/requests.ts')).requests,
  },
  { words: ['repro'], load: async () => (await import('./commands/repro.ts')).repro },
  {
    words: ['request', 'sign', 'verify'],
    load: async () => (await import('./commands/signing.ts')).signing,
  },
  { words: ['coverage'], load: async () => (await import('./commands/coverage.ts')).coverage },
  { words: ['golive'], load: async () => (await import('./commands/golive.ts')).goliveReport },
  { words: ['openapi'], load: async () => (await import('./commands/openapi.ts')).openapi },
  {
    words: ['completion', 'skill'],
    load: async () => (await import('./commands/completion.ts')).completion,
  },
];

export function loadCommands(
  files: readonly CommandFile[] = COMMAND_FILES,
): Promise<CommandModule[]> {
  return Promise.all(files.map((file) => file.load()));
}
