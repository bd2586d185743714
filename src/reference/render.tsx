import { html } from 'hono/html';
import { findAsset } from './assets.ts';
import { ControlPage } from './control-page.tsx';
import { PartnerPage } from './partner-page.tsx';

/** Nothing but the own stylesheet, script and icon. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The reference of an API, as a page. @param baseUrl without a trailing slash */
export async function referencePage(
  api: 'partner' | 'control',
  baseUrl: string,
): Promise<Response> {
  const page =
    api === 'partner' ? <PartnerPage baseUrl={baseUrl} /> : <ControlPage baseUrl={baseUrl} />;
  const text = await html`<!DOCTYPE html>${page}`;
  return new Response(text.toString(), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

/** What the pages load. @returns undefined when there is no such thing */
export function referenceAsset(name: string): Response | undefined {
  const asset = findAsset(name);
  if (asset === undefined) return undefined;
  return new Response(asset.text, {
    headers: {
      'Content-Type': `${asset.type}; charset=utf-8`,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
