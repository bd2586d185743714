import { ControlApiError, ControlClient } from '../../../client/control-client.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import { DEFAULT_CREDENTIAL } from '../../../market/defaults.ts';
import { ReceiverTestInputError, type SaleOptions } from '../options.ts';
import { all } from './partner-calls.ts';
import { type Partner, SaleSandbox } from './sandbox.ts';

/**
 * Finds the partner whose receiver is tested, before anything is changed or sent.
 * @throws ReceiverTestInputError if the receiver is not registered or webhook faults are active; UnreachableError
 */
export async function openSandbox(
  options: SaleOptions,
  receiver: string,
  runtime: Runtime,
): Promise<SaleSandbox> {
  const {
    sandbox,
    controlToken: token,
    fetch = globalThis.fetch as NonNullable<SaleOptions['fetch']>,
  } = options;
  const baseUrl = sandbox.replace(/(?<!\/)\/+$/, '');
  const given = new ControlClient({ baseUrl, fetch, token, world: options.world });
  const partner = await findPartner(given, options);
  const control = given.in(partner.world);
  await requireRegistration(control, partner, receiver);
  await requireNoFaults(control);
  return new SaleSandbox(partner, control, { baseUrl, fetch, runtime });
}

async function findPartner(control: ControlClient, { as, world }: SaleOptions): Promise<Partner> {
  const keyId =
    as ??
    (world === undefined || world === 'default'
      ? DEFAULT_CREDENTIAL.keyId
      : await onlyKey(control, world));
  const partner = await control
    .get<Partner>(`/credentials/${encodeURIComponent(keyId)}`)
    .catch((error) => {
      if (!(error instanceof ControlApiError) || error.status !== 404) throw error;
      throw new ReceiverTestInputError(
        `--as: credential ${keyId} not found; "sandlot credentials list" shows all`,
      );
    });
  if (world === undefined || world === partner.world) return partner;
  throw new ReceiverTestInputError(
    `--as: ${keyId} belongs to world ${partner.world}, not to ${world}`,
  );
}

async function onlyKey(control: ControlClient, world: string): Promise<string> {
  const keys = await all<{ key_id: string }>(control, '/credentials', 'credentials');
  const [key, ...others] = keys;
  if (key && others.length === 0) return key.key_id;
  throw new ReceiverTestInputError(`--as: missing; pass a key id of world ${world}`);
}

async function requireRegistration(
  control: ControlClient,
  { partner, partner_id, environment }: Partner,
  receiver: string,
): Promise<void> {
  const query = { partner_id, environment };
  const found = await all<{ url: string }>(control, '/webhooks', 'webhooks', query);
  const registered = found[0]?.url;
  if (registered !== undefined && new URL(registered).href === new URL(receiver).href) return;
  const now = registered === undefined ? 'no webhook URL' : registered;
  throw new ReceiverTestInputError(
    `--url: partner ${partner} has registered ${now} in ${environment}; register your receiver with "sandlot webhooks register --url ${receiver} --secret …", or pass --as`,
  );
}

async function requireNoFaults(control: ControlClient): Promise<void> {
  const faults = await all<{ fault_id: string; webhook: unknown }>(control, '/faults', 'faults');
  const active = faults.filter(({ webhook }) => webhook !== null && webhook !== undefined);
  if (active.length === 0) return;
  const ids = active.map(({ fault_id }) => fault_id).join(', ');
  throw new ReceiverTestInputError(
    `--sale: webhook faults are active (${ids}); delete them with "sandlot faults clear"`,
  );
}
