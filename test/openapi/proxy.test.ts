import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordControlCalls } from '../../scripts/docs/openapi-examples/control-calls.ts';
import { MOMENT } from '../../scripts/docs/openapi-examples/make.ts';
import { recordPartnerCalls } from '../../scripts/docs/openapi-examples/partner-calls.ts';
import { openReceiver } from '../../scripts/docs/openapi-examples/receiver.ts';
import { Recorder } from '../../scripts/docs/openapi-examples/recorder.ts';
import { ControlClient } from '../../src/client/control-client.ts';
import type { InProcessFetch } from '../../src/client/in-process-fetch.ts';
import { sendSigned, signPartnerRequest } from '../../src/client/partner-client.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { CONTROL_ENDPOINTS } from '../support/control-endpoints.ts';
import { SPECIFIED_ENDPOINTS } from '../support/endpoints.ts';
import { closed, type Json } from '../support/openapi/documents.ts';
import { PRISM_INSTALLED, startPrism } from '../support/openapi/prism.ts';
import { takeViolations } from '../support/openapi/watch.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const V1 = '/api/partner/v1';

if (!PRISM_INSTALLED) {
  process.stderr.write(
    'skipped: no validating proxy; `npm ci --prefix .ci/prism` installs it (74 MB)\n',
  );
}

/** The proxy takes a stream for a response that does not end; pages for people are no documents. */
const NOT_THROUGH_A_PROXY = new Set([
  'getStream',
  'getRequestStream',
  'getReference',
  'getReferenceAsset',
  'exportWorld',
  'importWorld',
  'exportRepro',
  'minimizeRepro',
  'getReproSteps',
  'getReproWhy',
  // They are those of a sandbox that a repro file opened.
  'getRepro',
  'stepRepro',
]);

test.runIf(process.env.CI)('the validating proxy is installed where everything must pass', () => {
  expect(PRISM_INSTALLED).toBe(true);
});

describe.runIf(PRISM_INSTALLED)('a validating proxy between client and sandbox', () => {
  test('finds no violation in calls of every endpoint of both APIs', async () => {
    const at = await sandbox(
      { port: 0, inventory: 5_000, frozenAt: MOMENT, rateLimits: false },
      // It may be asked to stop, and does not.
      { onStop: () => {} },
    );
    const hook = await openReceiver();
    onTestFinished(() => hook.close());
    const through = reachedThrough(
      at,
      await startPrism(await documentOf(at, 'partner'), at.url),
      await startPrism(await documentOf(at, 'control'), `${at.url}/_sandbox`),
    );
    const recorder = new Recorder(through);
    // A world file is not text.
    recorder.moveWorld = (name) => new Recorder(at).moveWorld(name);
    const about = await recordPartnerCalls(recorder, through, hook);
    await recordControlCalls(recorder, through, hook, about);
    expect(Object.keys(recorder.partner)).toHaveLength(SPECIFIED_ENDPOINTS.length);
    expect(Object.keys(recorder.control).toSorted()).toEqual(
      CONTROL_ENDPOINTS.map(({ name }) => name)
        .filter((name) => !NOT_THROUGH_A_PROXY.has(name))
        .toSorted(),
    );
  });

  test('accepts documented errors, and finds responses that were broken on purpose', async () => {
    const at = await sandbox({ port: 0 });
    const upstream = await changeable(at.url);
    const prism = await startPrism(await documentOf(at, 'partner'), upstream.url);
    const through = reachedThrough(at, prism);
    const ask = (target: string) => through.call({ method: 'GET', target: V1 + target });
    const unlisted = await ask('/pricing?domain=not-listed.example');
    expect(await rejection(unlisted)).toMatchObject({ status: 404, code: 'not_found' });
    const limited = await ask('/pricing?domain=rate-limited.test');
    expect(await rejection(limited)).toMatchObject({ status: 429, retryAfter: '2' });
    expect((await ask('/domains/held-order.test')).status).toBe(200);

    for (const change of [
      (domain: Json) => ({ ...domain, price_cents: '100' }),
      ({ price_cents: _, ...domain }: Json) => domain,
      (domain: Json) => ({ ...domain, score: 1 }),
    ]) {
      upstream.change = change;
      const broken = await ask('/domains/held-order.test');
      expect(broken.status).toBe(500);
      expect(await broken.text()).toContain('prism/errors#VIOLATIONS');
    }
    // The proxy's own responses are none of the sandbox's.
    expect(takeViolations()).toHaveLength(1);
  });
});

/** The document of an API, in the strict sense: responses hold nothing that it does not describe. */
async function documentOf(at: InProcessSandbox, api: string): Promise<object> {
  return closed(await at.control.get<object>('/openapi.json', { api }));
}

/** A sandbox whose API is called through proxies; its pages are not, nor is its control API without one. */
function reachedThrough(at: InProcessSandbox, partner: string, control?: string): InProcessSandbox {
  const fetchThrough: InProcessFetch = (target, init) => {
    const path = String(target).replace(at.url, '');
    if (path.startsWith('/api/')) return fetch(partner + path, init);
    if (!control || !path.startsWith('/_sandbox')) return at.fetch(target, init);
    return fetch(control + path.replace('/_sandbox', ''), init);
  };
  return {
    ...at,
    fetch: fetchThrough,
    control: new ControlClient({ baseUrl: at.url, fetch: fetchThrough }),
    call: (request, key = at.credential) =>
      sendSigned(fetchThrough, signPartnerRequest(at.url, key, request, Date.now())),
  };
}

interface Changeable {
  url: string;
  /** What is made of each response. */
  change: (response: Json) => object;
}

/** A server that responds to GET as the sandbox does, with changed JSON. */
async function changeable(url: string): Promise<Changeable> {
  const made: Changeable = { url: '', change: (response) => response };
  const server = http.createServer(async (request, response) => {
    const signing = Object.entries(request.headers).filter(([name]) =>
      name.startsWith('x-service-'),
    );
    const headers = Object.fromEntries(signing.map(([name, value]) => [name, String(value)]));
    const original = await fetch(url + request.url, { headers });
    const retryAfter = original.headers.get('retry-after');
    response.writeHead(original.status, {
      'Content-Type': 'application/json',
      ...(retryAfter !== null && { 'Retry-After': retryAfter }),
    });
    response.end(JSON.stringify(made.change((await original.json()) as Json)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return made;
}
