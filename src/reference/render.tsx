import type { ControlEndpoint } from '../control/endpoint.ts';
import { lazily } from '../kernel/lazily.ts';
import { type Asset, assetResponse, fingerprint, script, stylesheet } from '../ui/assets.ts';
import { htmlResponse } from '../ui/document.tsx';
import { ControlPage } from './control-page.tsx';
import { PartnerPage } from './partner-page.tsx';

const FOLDER = '/_sandbox/reference/assets/';

const assets = lazily(() => {
  const css = stylesheet('colors', 'base', 'reference');
  const js = script('reference');
  const names = { css: `${fingerprint([css])}.css`, js: `${fingerprint([js])}.js` };
  return {
    files: new Map<string, Asset>([
      [names.css, css],
      [names.js, js],
    ]),
    paths: { stylesheet: FOLDER + names.css, script: FOLDER + names.js },
  };
});

/** @param endpoints of the control API */
export function referencePage(
  api: 'partner' | 'control',
  baseUrl: string,
  endpoints: readonly ControlEndpoint[],
): Promise<Response> {
  const props = { baseUrl, assets: assets().paths };
  const page =
    api === 'partner' ? (
      <PartnerPage {...props} />
    ) : (
      <ControlPage {...props} endpoints={endpoints} />
    );
  return htmlResponse(page, {
    policy: { 'script-src': "'self'" },
    headers: { 'Referrer-Policy': 'no-referrer' },
  });
}

/** Responds with the stylesheet or the script. @returns undefined for any other name */
export function referenceAsset(name: string): Response | undefined {
  const asset = assets().files.get(name);
  return asset && assetResponse(asset);
}
