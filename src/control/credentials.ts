import { z } from 'zod';
import { pageQuery } from '../http/fields.ts';
import { forgetUsage } from '../http/pipeline/access.ts';
import {
  type CredentialRow,
  credential,
  credentialPage,
  credentialWithSecret,
} from '../market/partners/credential.ts';
import {
  approveCredential,
  createCredential,
  listCredentials,
  requireCredential,
  revokeCredential,
  withNames,
} from '../market/partners/credentials.ts';
import { mapPage } from '../store/paging.ts';
import type { Credential } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import type { World } from '../world/world.ts';
import { type ControlCall, del, get, named, post } from './endpoint.ts';
import { newCredential } from './partner-fields.ts';

export const credentialEndpoints = named({
  postCredential: post('/credentials', {
    summary: 'Create a credential. The response has the secret in full.',
    description:
      'Credentials with the same `partner` name belong to the same partner, which is created if it does not exist. A LIVE credential is rejected by the partner API until it is approved. 409 `conflict` if the `key_id` exists in any world.',
    body: () => newCredential(),
    status: 201,
    response: credentialWithSecret,
    resolveWorld: ({ world, context, body }) =>
      body.world === undefined ? world : context.worlds.require(body.world),
    handle: ({ body, ...call }) =>
      changeCredential(call, (tx) => {
        const { keys } = call.context.worlds;
        return createCredential(tx, body, (keyId) => keys.find(keyId) !== undefined);
      }),
  }),

  getCredentials: get('/credentials', {
    summary: 'List the credentials of a world, without their secrets.',
    query: () => z.object(pageQuery()),
    response: credentialPage,
    read: ({ tx, query }) => mapPage(listCredentials(tx, query), (row) => withNames(tx, row)),
  }),

  getCredential: get('/credentials/:key_id', {
    summary: 'Show a credential with its secret.',
    description: 'The key id is looked up in every world.',
    response: credentialWithSecret,
    resolveWorld: worldOfKey,
    read: ({ tx, params }) => withNames(tx, requireCredential(tx, params.key_id)),
  }),

  postCredentialApprove: post('/credentials/:key_id/approve', {
    summary: 'Approve a LIVE credential for production access.',
    description: '409 `conflict` for a SANDBOX credential, which needs no approval.',
    response: credential,
    resolveWorld: worldOfKey,
    handle: ({ params, ...call }) =>
      changeCredential(call, (tx) => approveCredential(tx, params.key_id)),
  }),

  deleteCredential: del('/credentials/:key_id', {
    summary: 'Revoke a credential. Requests signed with it are rejected from now on.',
    description: 'Its idempotency keys, nonces and rate limits are deleted; the orders stay.',
    response: credential,
    resolveWorld: worldOfKey,
    handle: ({ params, ...call }) =>
      changeCredential(call, (tx) => revokeCredential(tx, params.key_id)),
  }),
});

/** A key id is unique over all worlds, so it determines the world. */
function worldOfKey({
  world,
  context,
  params,
}: Pick<ControlCall, 'world' | 'context'> & { params: { key_id: string } }): World {
  return context.worlds.keys.find(params.key_id)?.world ?? world;
}

/** Changes a credential of a world, and the key index. */
function changeCredential(
  { world, request, context }: Pick<ControlCall, 'world' | 'request' | 'context'>,
  change: (tx: Tx) => Credential,
): CredentialRow {
  const row = world.transaction((tx) => withNames(tx, change(tx)), request);
  // No other call runs in between, so no other world creates the same key id.
  context.worlds.keys.readOne(world, row.keyId);
  if (!context.worlds.keys.find(row.keyId)) forgetUsage(world, row.keyId);
  return row;
}
