import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { Attempt } from '../../requests/log-file.ts';
import type { Worlds } from '../../world/worlds.ts';
import { parseObject } from './activity.ts';

/** Tells which requests and attempts the report leaves out: those of credentials made with `golive: false`. */
export class CredentialFilter {
  /** Whether a credential counts, by key id; also of deleted ones. */
  readonly #counts = new Map<string, boolean>();
  /** Whether a partner has a credential that counts, by world, partner and environment. */
  readonly #partners = new Map<string, boolean>();

  constructor(worlds: Worlds) {
    for (const world of worlds.list()) {
      for (const { keyId, partnerId, environment, golive } of worlds.keys.credentialsOf(world)) {
        this.#add(keyId, `${world.name} ${partnerId} ${environment}`, golive);
      }
    }
  }

  /** Adds the credential that a call created, because it may have been deleted since. */
  addCreated({ response }: RequestLogEntry): void {
    const { key_id, golive, ...created } = parseObject(response.body) ?? {};
    const owner = `${created.world} ${created.partner_id} ${created.environment}`;
    this.#add(String(key_id), owner, golive !== false);
  }

  /** @param owner world, partner and environment */
  #add(keyId: string, owner: string, golive: boolean): void {
    this.#counts.set(keyId, golive);
    this.#partners.set(owner, golive || (this.#partners.get(owner) ?? false));
  }

  /** Whether a request was sent with a credential that does not count, or with none. */
  ignoresRequest({ keyId, partnerId }: RequestLogEntry): boolean {
    if (keyId === null) return true;
    // Without a partner, the key was never looked up, and may not have existed.
    return !(this.#counts.get(keyId) ?? partnerId !== null);
  }

  /** Whether a webhook attempt goes to a partner that has only credentials that do not count. */
  ignoresAttempt(world: string, { partnerId, environment }: Attempt): boolean {
    return this.#partners.get(`${world} ${partnerId} ${environment}`) === false;
  }
}
