import type { CommandLineIo } from './io.ts';

export interface Environment {
  url: string | undefined;
  keyId: string | undefined;
  secret: string | undefined;
  webhookSecret: string | undefined;
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
