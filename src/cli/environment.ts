import type { CommandLineIo } from './io.ts';

/** The environment variables of the command line. */
export interface Environment {
  /** SANDLOT_URL: address of the sandbox. */
  url: string | undefined;
  /** SANDLOT_KEY_ID and SANDLOT_SECRET: the credential that signs requests. */
  keyId: string | undefined;
  secret: string | undefined;
  /** SANDLOT_WEBHOOK_SECRET: webhook secret of the receiver that is tested. */
  webhookSecret: string | undefined;
  /** SANDLOT_CONTROL_TOKEN: for a sandbox started with --control-token. */
  controlToken: string | undefined;
  /** From NO_COLOR, FORCE_COLOR and TERM; undefined: colors only on a terminal. */
  color: boolean | undefined;
}

/** Reads the environment; an empty variable is unset. */
export function readEnvironment(env: CommandLineIo['env']): Environment {
  const read = (name: string) => env[name] || undefined;
  return {
    url: read('SANDLOT_URL'),
    keyId: read('SANDLOT_KEY_ID'),
    secret: read('SANDLOT_SECRET'),
    webhookSecret: read('SANDLOT_WEBHOOK_SECRET'),
    controlToken: read('SANDLOT_CONTROL_TOKEN'),
    color: colorInput(read('NO_COLOR'), read('FORCE_COLOR'), read('TERM')),
  };
}

function colorInput(no: string | undefined, force: string | undefined, term: string | undefined) {
  if (no !== undefined) return false;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return term === 'dumb' ? false : undefined;
}
