/** Name of the configuration file in the working directory. */
export const CONFIG_FILE = 'sandlot.config.json';

/** A setting that is one value: its schema, its option and their text follow from it. */
export interface Setting {
  kind: 'count' | 'text' | 'flag';
  /** The greatest number, or the most characters. */
  max?: number;
  /** A sentence without its period. */
  about: string;
  /** What texts say about the default. The default itself is where the setting is used. */
  defaultText?: string;
  /** Its option, if `start` and `exec` both have it and it takes a value; the commands declare the others. */
  option?: `--${string} <${string}>`;
}

/** The settings that are one value, by their name in the configuration file; `schema.ts` has the others. */
export const SINGLE_SETTINGS = {
  port: {
    kind: 'count',
    max: 65_535,
    about: 'Port to listen on, 0 for a free one',
    defaultText: '4010',
    option: '--port <number>',
  },
  host: {
    kind: 'text',
    max: 255,
    about: 'Address to listen on',
    defaultText: '127.0.0.1',
    option: '--host <address>',
  },
  public_url: {
    kind: 'text',
    about: 'Address used in links, if clients are behind a proxy or in a container',
    defaultText: 'where it listens',
    option: '--public-url <url>',
  },
  data_dir: { kind: 'text', max: 2_000, about: 'Folder of the state', defaultText: '.sandlot' },
  ephemeral: { kind: 'flag', about: 'Whether the state is kept in memory' },
  seed: {
    kind: 'text',
    max: 100,
    about: 'Seed of inventory, IDs and generated keys',
    defaultText: 'sandlot',
    option: '--seed <text>',
  },
  inventory: {
    kind: 'count',
    max: 100_000,
    about: 'Generated domains in a new world',
    defaultText: '5000',
    option: '--inventory <count>',
  },
  frozen_at: {
    kind: 'text',
    about: 'Time at which the clock of a new world is frozen, ISO 8601',
    option: '--frozen-at <time>',
  },
  request_log: {
    kind: 'count',
    max: 1_000_000,
    about: 'Requests kept in the log, 0 for none',
    defaultText: '10000',
    option: '--request-log <count>',
  },
  default_credential: {
    kind: 'flag',
    about: 'Whether dmk_sandbox_local exists',
    defaultText: 'only on a loopback address',
  },
  control_token: { kind: 'text', max: 255, about: 'Token required on control API requests' },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof SINGLE_SETTINGS;

export type SettingValue<Name extends SettingName> = {
  count: number;
  text: string;
  flag: boolean;
}[(typeof SINGLE_SETTINGS)[Name]['kind']];

/** The settings that a sandbox takes as they are, by their names in `createSandbox()`. */
export interface SandboxSettings {
  /** Folder for the state; in memory if left out. */
  dataDir?: string | undefined;
  /** The same seed and the same calls give the same responses. */
  seed?: string | undefined;
  /** Number of synthetic domains in a new world; 5,000 if left out. */
  inventory?: number | undefined;
  /** Requests of all worlds to keep for `/_sandbox/requests`; 10,000 if left out, 0 for none. */
  requestLog?: number | undefined;
  /** False creates no credential `dmk_sandbox_local`, and removes an existing one. */
  defaultCredential?: boolean | undefined;
  /** Origin of checkout, referral and progress links, if clients do not use `url`. */
  publicUrl?: string | undefined;
}
