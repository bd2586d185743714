import net from 'node:net';
import type { ControlRegistration } from '../../../webhooks/registration.ts';
import type { CommandContext } from '../../command.ts';
import { broken, type Finding, fine } from './finding.ts';

const PATIENCE_MS = 3_000;

/** Whether somebody listens at each registered webhook url. Nothing is sent there. */
export async function checkWebhooks({ control }: CommandContext): Promise<Finding[]> {
  const { webhooks } = await control().get<{ webhooks: ControlRegistration[] }>('/webhooks', {
    limit: 100,
  });
  if (webhooks.length === 0) return [fine('webhooks', 'no url is registered')];
  return Promise.all(webhooks.map(checkOne));
}

async function checkOne({ url, partner, environment }: ControlRegistration): Promise<Finding> {
  const whose = `of ${partner} in ${environment}`;
  const problem = await knock(new URL(url));
  if (problem === undefined) return fine('webhooks', `${url} ${whose} takes connections`);
  return broken(
    'webhooks',
    `${url} ${whose} cannot be reached (${problem})`,
    'start the receiver, or take the url away with: sandlot webhooks unregister',
  );
}

/** Connects and hangs up. @returns why not, undefined when somebody is there */
function knock({ hostname, port, protocol }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      timeout: PATIENCE_MS,
    });
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
