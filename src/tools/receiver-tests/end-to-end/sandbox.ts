import { ControlApiError, ControlClient } from '../../../client/control-client.ts';
import type { Fetch } from '../../../client/fetch.ts';
import type { TypedControlClient } from '../../../control/typed-client.ts';
import { DEFAULT_CREDENTIAL } from '../../../market/defaults.ts';
import type { CredentialWithSecret } from '../../../market/partners/credential.ts';
import { ReceiverTestInputError, type SaleOptions } from '../options.ts';

/** The sandbox of a run, with the partner whose receiver is tested. */
export interface SaleSandbox {
  partner: CredentialWithSecret;
  control: TypedControlClient;
  baseUrl: string;
  fetch: Fetch;
}

export const PAGE = 100;

/** Reads a list page by page. */
export async function* pages<Page extends { next_cursor: string | null }>(
  get: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let page = await get(undefined);
  yield page;
  while (page.next_cursor !== null) {
    page = await get(page.next_cursor);
    yield page;
  }
}

/**
 * Finds the partner whose receiver is tested. Changes and sends nothing.
 * @throws ReceiverTestInputError if the receiver is not registered or webhook faults are active; UnreachableError
 */
export async function openSandbox(options: SaleOptions, receiver: string): Promise<SaleSandbox> {
  const { world, controlToken: token } = options;
  const fetch = options.fetch ?? (globalThis.fetch as Fetch);
  const baseUrl = options.sandbox.replace(/(?<!\/)\/+$/, '');
  const client = new ControlClient({ baseUrl, fetch, token, world });
  const typedClient = client as unknown as TypedControlClient;
  const partner = await findPartner(typedClient, options);
  const control = typedClient.in(partner.world);
  await requireRegistration(control, partner, receiver);
  await requireNoFaults(control);
  return { partner, control, baseUrl, fetch };
}

async function findPartner(
  control: TypedControlClient,
  { as, world }: SaleOptions,
): Promise<CredentialWithSecret> {
  const isDefault = world === undefined || world === 'default';
  const keyId = as ?? (isDefault ? DEFAULT_CREDENTIAL.keyId : await onlyKey(control, world));
  const partner = await ifFound(control.get(`/credentials/${encodeURIComponent(keyId)}`));
  if (!partner) {
    throw new ReceiverTestInputError(
      `--as: credential ${keyId} not found; "sandlot credentials list" shows all`,
    );
  }
  if (world === undefined || world === partner.world) return partner;
  throw new ReceiverTestInputError(
    `--as: ${keyId} belongs to world ${partner.world}, not to ${world}`,
  );
}

async function onlyKey(control: TypedControlClient, world: string): Promise<string> {
  const { credentials } = await control.get('/credentials', { limit: 2 });
  const [key, ...more] = credentials;
  if (key && more.length === 0) return key.key_id;
  throw new ReceiverTestInputError(`--as: missing; pass a key id of world ${world}`);
}

async function requireRegistration(
  control: TypedControlClient,
  { partner, partner_id, environment }: CredentialWithSecret,
  receiver: string,
): Promise<void> {
  const { webhooks } = await control.get('/webhooks', { partner_id, environment });
  const registered = webhooks[0]?.url;
  if (registered !== undefined && new URL(registered).href === new URL(receiver).href) return;
  throw new ReceiverTestInputError(
    `--url: partner ${partner} has registered ${registered ?? 'no webhook URL'} in ${environment}; register your receiver with "sandlot webhooks register --url ${receiver} --secret …", or pass --as`,
  );
}

async function requireNoFaults(control: TypedControlClient): Promise<void> {
  const active: string[] = [];
  for await (const { faults } of pages((cursor) => control.get('/faults', { limit: PAGE, cursor })))
    active.push(...faults.filter(({ webhook }) => webhook).map(({ fault_id }) => fault_id));
  if (active.length === 0) return;
  throw new ReceiverTestInputError(
    `--sale: webhook faults are active (${active.join(', ')}); delete them with "sandlot faults clear"`,
  );
}

/** Returns undefined for a resource that does not exist. */
export async function ifFound<Resource>(
  response: Promise<Resource>,
): Promise<Resource | undefined> {
  return response.catch((error: unknown) => {
    if (error instanceof ControlApiError && error.status === 404) return undefined;
    throw error;
  });
}
