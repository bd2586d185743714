import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/index.ts';
import { EVENT_TYPES } from '../../src/events/event-types.ts';
import { CHECK_ORDER } from '../../src/http/pipeline/steps.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { MAGIC_DOMAINS } from '../../src/market/inventory/magic-domains.ts';
import { templateOf } from '../../src/openapi/document.ts';
import { LANGUAGES } from '../../src/reference/languages.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { MISTAKES } from '../../src/signing/diagnosis.ts';
import { CONTROL_ENDPOINTS } from '../support/control-endpoints.ts';
import { ERROR_CODES } from '../support/error-codes.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const APIS = ['partner', 'control'] as const;

async function pageOf(at: InProcessSandbox, api: (typeof APIS)[number]): Promise<string> {
  const response = await at.fetch(`/_sandbox/reference?api=${api}`);
  expect(response.status).toBe(200);
  return response.text();
}

/** Returns the section of an operation. */
function sectionOf(text: string, id: string): string {
  const start = text.indexOf(`<section class="operation" id="${id}"`);
  expect(start, id).toBeGreaterThan(0);
  const end = text.indexOf('<section class="operation"', start + 1);
  return text.slice(start, end < 0 ? undefined : end);
}

describe.each(APIS)('the reference of the %s API', (api) => {
  test('loads only its own stylesheet, script and icon', async () => {
    const at = await sandbox();
    const response = await at.fetch(`/_sandbox/reference?api=${api}`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
    const text = await response.text();
    const tags = (text.replace(/"[^"]*"/g, '""').match(/<[^>]*>/g) ?? []).join('\n');
    expect(tags).not.toMatch(/<style|<iframe|<img|<form|\sstyle=|\son\w+=/i);
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text.match(/(?:href|src)="(?![/#])[^"]*/g)).toBeNull();
    const loaded = [...text.matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]*)"/g)];
    expect(loaded).toHaveLength(3);
    for (const [, href = ''] of loaded) expect((await at.fetch(href)).status, href).toBe(200);
  });

  test('has no broken anchors', async () => {
    const text = await pageOf(await sandbox(), api);
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = [...text.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    expect(targets.filter((id) => id !== 'content' && !ids.includes(id))).toEqual([]);
    expect(ids).toContain('content');
    expect(text.match(/<h1/g)).toHaveLength(1);
    expect(text.match(/>undefined<|\[object|\bNaN\b/g)).toBeNull();
  });
});

test('every partner endpoint has an example in every language', async () => {
  const at = await sandbox();
  const text = await pageOf(at, 'partner');
  for (const { name, method, path, scopes, rateClass, body, query } of ENDPOINTS) {
    const section = sectionOf(text, name);
    expect(section).toContain(`>${method}</span>`);
    expect(section).toContain(templateOf(path));
    expect(section, name).toContain(`scope ${scopes.join(' or ')}`);
    expect(section, name).toContain(`rate class ${rateClass}`);
    for (const member of [...Object.keys(body?.shape ?? {}), ...Object.keys(query?.shape ?? {})]) {
      expect(section, name).toContain(`<code>${member}</code>`);
    }
    for (const { id } of LANGUAGES) {
      expect(section, `${name} in ${id}`).toContain(`by-language in-${id}"`);
    }
    expect(section, name).toMatch(/Response 20[01]/);
  }
  expect(sectionOf(text, 'postOrder')).toContain('<code>buyer.email</code>');
  expect(sectionOf(text, 'getOrder')).toContain('<code>timeline[].status</code>');
});

test('every error code, signing mistake, event and magic domain is listed', async () => {
  const text = await pageOf(await sandbox(), 'partner');
  const errors = text.slice(text.indexOf('<section id="errors"'));
  for (const code of ERROR_CODES) expect(errors).toContain(`<code>${code}</code>`);
  expect(errors).toContain(CHECK_ORDER.map((check) => `<code>${check}</code>`).join(', '));
  for (const { slug } of MISTAKES) expect(text).toContain(`id="mistake-${slug}"`);
  for (const type of EVENT_TYPES) expect(sectionOf(text, `on-${type}`)).toContain('Delivered');
  for (const { domain } of MAGIC_DOMAINS) expect(text).toContain(`<code>${domain}</code>`);
});

test('the section of an endpoint lists all of its errors', async () => {
  const text = await pageOf(await sandbox(), 'partner');
  for (const { name, errors = {} } of ENDPOINTS) {
    const section = sectionOf(text, name);
    for (const [code, meaning] of Object.entries(errors)) {
      expect(section, `${name} ${code}`).toContain(code);
      expect(section, `${name} ${code}`).toContain(meaning);
      // The general meaning of these two is not enough for an endpoint.
      if (code === 'not_found' || code === 'conflict') expect(meaning, name).not.toBe('');
    }
    expect(section).toContain('401 invalid_signature');
  }
});

test('every control endpoint has a curl command', async () => {
  const text = await pageOf(await sandbox(), 'control');
  for (const { name, path } of CONTROL_ENDPOINTS) {
    const section = sectionOf(text, name);
    expect(section).toContain(templateOf(path));
    expect(section, name).toContain('<figcaption>curl</figcaption>');
  }
});

test('the page names the URL of the sandbox', async () => {
  const at = await sandbox({ port: 0 });
  const text = await (await fetch(`${at.url}/_sandbox/reference`)).text();
  expect(text).toContain(`export SANDLOT_URL=${at.url}\n`);
});

test('the pages have the guard of the control API', async () => {
  const at = await sandbox();
  for (const target of ['reference', 'reference/assets/x.css']) {
    expect((await at.fetch(`http://evil.example/_sandbox/${target}`)).status).toBe(403);
  }
  const guarded = await openSandbox({ inventory: 0, controlToken: 'a-token' });
  try {
    const app = await guarded.app();
    const ask = (headers: Record<string, string>) =>
      app.fetch(new Request('http://localhost/_sandbox/reference', { headers }));
    expect((await ask({})).status).toBe(401);
    expect((await ask({ Authorization: 'Bearer a-token' })).status).toBe(200);
  } finally {
    await guarded.close();
  }
});

test('an unknown asset or API is rejected with a hint', async () => {
  const at = await sandbox();
  expect(await rejection(await at.fetch('/_sandbox/reference/assets/old.css'))).toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('reload'),
  });
  expect(await rejection(await at.fetch('/_sandbox/reference?api=back'))).toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining('partner'),
  });
});
