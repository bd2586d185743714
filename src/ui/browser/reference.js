/** Shows an API with Swagger UI, and signs what it sends to the partner API. `reference/reference.tsx` lists its imports. */
import { callControl, messageOf } from './control-api.js';
import { signedHeaders } from './sign.js';

const reference = /** @type {HTMLElement} */ (document.getElementById('reference'));
const isPartner = reference.dataset.api === 'partner';
// Only the page of the partner API has these.
const select = /** @type {HTMLSelectElement} */ (document.getElementById('credential'));
const status = /** @type {HTMLElement} */ (document.getElementById('signing-status'));

async function listCredentials() {
  /** @type {{ credentials: { key_id: string, partner: string, environment: string, approved: boolean }[] }} */
  const { credentials } = await callControl(reference.dataset.credentials ?? '');
  for (const { key_id: keyId, partner, environment } of credentials) {
    select.append(new Option(`${keyId} (${partner}, ${environment})`, keyId));
  }
  select.value = credentials.find(({ approved }) => approved)?.key_id ?? select.value;
  let text = 'Signed in this browser, with a new nonce for each request.';
  if (credentials.length === 0) text = 'No credential in this world: create one in the dashboard.';
  // Browsers sign only on loopback addresses and over https.
  else if (!globalThis.isSecureContext) text = 'Open this page on a loopback address to sign.';
  status.textContent = text;
}

/**
 * Prepares a request that Swagger UI sends: to the origin of this page, and signed. Without a prepared request,
 * Swagger UI shows nothing, so one that cannot be signed is sent and rejected.
 * @param {{ url: string, method: string, headers: Record<string, string>, body?: string }} request
 */
async function prepareRequest(request) {
  const { pathname, search } = new URL(request.url, location.href);
  request.url = location.origin + pathname + search;
  if (!isPartner || !select.value || !globalThis.isSecureContext) return request;
  const keyId = select.value;
  const url = `/_sandbox/credentials/${encodeURIComponent(keyId)}`;
  // A credential may be revoked meanwhile: signed with a wrong secret, the request is rejected.
  const { secret } = await callControl(url).catch(() => ({ secret: 'revoked' }));
  if (request.method === 'POST' && pathname.endsWith('/orders')) {
    request.headers['Idempotency-Key'] ||= crypto.randomUUID();
  }
  const timestamp = String(Math.floor(Date.now() / 1000));
  const freshness = { timestamp, nonce: crypto.randomUUID() };
  const body = request.body ?? '';
  const parts = { method: request.method, path: pathname, query: search.slice(1), body };
  Object.assign(request.headers, await signedHeaders({ keyId, secret }, parts, freshness));
  return request;
}

/** Returns the document with the world of this page, and without what this page adds: signatures and idempotency keys. */
async function loadDocument() {
  const spec = await callControl(`/_sandbox/openapi.json?api=${reference.dataset.api}`);
  const world = new URLSearchParams(location.search).get('world');
  delete spec.security;
  spec.components.securitySchemes = {};
  for (const path of Object.values(spec.paths)) {
    for (const operation of Object.values(path)) {
      delete operation.security;
      for (const parameter of operation.parameters ?? []) {
        if (parameter.name === 'world' && world) parameter.example = world;
        if (parameter.name !== 'Idempotency-Key') continue;
        parameter.required = false;
        delete parameter.example;
        parameter.description += ' If it is empty, this page sends a new one.';
      }
    }
  }
  return spec;
}

try {
  const [spec] = await Promise.all([loadDocument(), isPartner && listCredentials()]);
  // @ts-expect-error defined by swagger-ui-bundle.js
  window.SwaggerUIBundle({
    spec,
    domNode: reference,
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    requestInterceptor: prepareRequest,
  });
} catch (error) {
  reference.textContent = messageOf(error);
}
