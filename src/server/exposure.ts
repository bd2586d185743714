import type { Config } from '../config/schema.ts';
import { isLoopbackName } from '../kernel/addresses.ts';
import { UsageError } from '../kernel/errors.ts';

export const DEFAULT_HOST = '127.0.0.1';

const MIN_TOKEN_LENGTH = 16;

/** Returns the security-relevant settings of a sandbox that other machines can reach; undefined for a loopback address. */
export function exposureOf({ host = DEFAULT_HOST, default_credential, seed }: Config) {
  if (isLoopbackName(host)) return undefined;
  return {
    host,
    defaultCredential: default_credential === true,
    // Keys may follow only from a seed that was given, and the seed of an existing world can be another one.
    randomKeys: (worldSeed: string) => worldSeed !== seed,
  };
}

/** @throws UsageError if other machines can reach the control API and its token is missing or short */
export function assertControlToken({ control_token: token, ...config }: Config): void {
  const exposure = exposureOf(config);
  if (!exposure || (token !== undefined && token.length >= MIN_TOKEN_LENGTH)) return;
  const problem =
    token === undefined
      ? 'is required'
      : `has ${token.length} characters, and at least ${MIN_TOKEN_LENGTH} are required`;
  throw new UsageError(
    `control_token: ${problem} to listen on ${exposure.host}, which is not a loopback address; pass one of at least ${MIN_TOKEN_LENGTH} characters with --control-token-file, SANDLOT_CONTROL_TOKEN or --control-token`,
  );
}

/** Describes what changes if other machines can reach a sandbox of this seed, a line each. */
export function describeExposure(config: Config, seed: string): string[] {
  const exposure = exposureOf(config);
  if (!exposure) return [];
  return [
    `${exposure.host} is not a loopback address:`,
    '  the control API requires the control token',
    exposure.defaultCredential
      ? '  the default credential works (--default-credential); its secret is public'
      : '  there is no default credential; create one with `sandlot credentials create`, or pass --default-credential',
    exposure.randomKeys(seed)
      ? "  keys come from the system's random source; --seed makes those of a new state repeatable"
      : '  keys follow from --seed; anyone who knows it can compute them',
  ];
}
