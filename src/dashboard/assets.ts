import type { Hono } from 'hono';
import { type Asset, assetResponse, fingerprint, script, stylesheet } from '../ui/assets.ts';

const STYLES = ['colors', 'base', 'controls', 'layout', 'tables', 'components'];

/** `main.js` imports the others. */
const MODULES = [
  'main',
  'actions',
  'control-api',
  'copy',
  'dialogs',
  'fields',
  'live',
  'morph',
  'repro',
  'shortcuts',
];

/** Paths of the stylesheet and the script. */
export interface AssetPaths {
  stylesheet: string;
  script: string;
}

/**
 * Serves the stylesheet and the script. They hold no data, so they need no token.
 * @param styles of tools
 */
export function serveAssets(app: Hono, styles: readonly string[]): AssetPaths {
  const { text } = stylesheet(...STYLES);
  const narrow = stylesheet('responsive');
  const css: Asset = { ...narrow, text: [text, ...styles, narrow.text].join('\n') };
  const files = new Map([
    ['dashboard.css', css],
    ...MODULES.map((name) => [`${name}.js`, script(name)] as const),
  ]);
  const base = `/_sandbox/assets/${fingerprint(files.values())}`;
  app.get('/_sandbox/assets/:version/:name', (c) => {
    const file = files.get(c.req.param('name'));
    if (!file || !base.endsWith(`/${c.req.param('version')}`)) return c.notFound();
    return assetResponse(file);
  });
  return { stylesheet: `${base}/dashboard.css`, script: `${base}/main.js` };
}
