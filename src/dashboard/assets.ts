import type { Hono } from 'hono';
import { lazily } from '../kernel/lazily.ts';
import { assetResponse, fingerprint, script, stylesheet } from '../ui/assets.ts';

const STYLES = [
  'colors',
  'base',
  'controls',
  'layout',
  'tables',
  'components',
  'story',
  'golive',
  'responsive',
];

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

const assets = lazily(() => {
  const files = new Map([
    ['dashboard.css', stylesheet(...STYLES)],
    ...MODULES.map((name) => [`${name}.js`, script(name)] as const),
  ]);
  return { files, base: `/_sandbox/assets/${fingerprint(files.values())}` };
});

export function assetPaths(): { stylesheet: string; script: string } {
  const { base } = assets();
  return { stylesheet: `${base}/dashboard.css`, script: `${base}/main.js` };
}

/** Serves the stylesheet and the script. They hold no data, so they need no token. */
export function serveAssets(app: Hono): void {
  app.get('/_sandbox/assets/:version/:name', (c) => {
    const { base, files } = assets();
    const file = files.get(c.req.param('name'));
    if (!file || !base.endsWith(`/${c.req.param('version')}`)) return c.notFound();
    return assetResponse(file);
  });
}
