import type { ValuesOf } from '../../command.ts';
import { count, flag, port, text, value } from '../../options.ts';
import { webAddress } from '../../parsers/values.ts';

export const LISTEN_OPTIONS = {
  port: port('Port on 127.0.0.1, 0 for a free one').withDefault('4020'),
  secret: text('--secret <secret>', 'Secret to verify with (default: generated and printed)'),
  register: flag('--register', 'Register the receiver with the sandbox until it stops'),
  forward: value(
    '--forward <url>',
    'Forward each webhook to a server with the same secret, and return its response',
    webAddress,
  ),
  status: count('--status <code>', 'Respond with this status', 200, 599),
};
export type ListenOptions = ValuesOf<typeof LISTEN_OPTIONS>;
