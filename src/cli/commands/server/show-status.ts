import type { Paper } from '../../output.ts';

/** The members of the control door's status that people are shown. */
interface Status {
  url: string;
  version: string;
  pid: number;
  seed: string;
  world: string;
  unusable_worlds: { name: string; problem: string }[];
  inventory: Record<string, { listed: number; sold: number }>;
  clock: { now: string; frozen: boolean };
  env: Record<string, string>;
  dashboard_url: string;
  data_dir: string | null;
}

/** What is running, and the lines that make another program use it. */
export function showStatus(document: unknown, { paint, block }: Paper): string[] {
  const status = document as Status;
  const inventory = Object.entries(status.inventory)
    .map(([environment, { listed, sold }]) => `${environment} ${listed} listed, ${sold} sold`)
    .join('; ');
  return [
    `${paint.good('●')} sandlot ${status.version} at ${paint.strong(status.url)}`,
    block([
      ['pid', String(status.pid)],
      ['world', `${status.world}, seed ${status.seed}`],
      ['inventory', inventory],
      ['clock', `${status.clock.now}${status.clock.frozen ? ', frozen' : ''}`],
      ['dashboard', status.dashboard_url],
      ['state', status.data_dir ?? 'in memory'],
    ]),
    ...status.unusable_worlds.map(
      ({ name, problem }) => `${paint.bad('!')} world ${name} cannot be used. ${problem}`,
    ),
    '',
    ...Object.entries(status.env).map(([name, value]) => `export ${name}=${value}`),
  ];
}
