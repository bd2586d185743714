import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Hono } from 'hono';
import { colors } from '../pages/style/colors.ts';
import { controls } from './style/controls.ts';
import { frame } from './style/frame.ts';
import { narrow } from './style/narrow.ts';
import { pieces } from './style/pieces.ts';
import { tables } from './style/tables.ts';

/** The modules of the one script; `main.js` brings in the others. Served as they are written. */
const MODULES = [
  'main',
  'acts',
  'copying',
  'dialogs',
  'fields',
  'keys',
  'live',
  'morph',
  'reveal',
  'tell',
];

interface Assets {
  /** Folder named by what is in it, so that a browser may keep it for good. */
  base: string;
  files: Map<string, { text: string; type: string }>;
}

let known: Assets | undefined;

/** The addresses of the stylesheet and the script. */
export function assetPaths(): { stylesheet: string; script: string } {
  const { base } = assets();
  return { stylesheet: `${base}/dashboard.css`, script: `${base}/main.js` };
}

/** Serves them: nothing of the sandbox is in them, so nobody is asked who they are. */
export function serveDashboardAssets(app: Hono): void {
  app.get('/_sandbox/assets/:version/:name', (c) => {
    const { base, files } = assets();
    const file = files.get(c.req.param('name'));
    if (!file || !base.endsWith(`/${c.req.param('version')}`)) return c.notFound();
    return new Response(file.text, {
      headers: {
        'Content-Type': `${file.type}; charset=utf-8`,
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Content-Security-Policy': "default-src 'none'",
        'X-Content-Type-Options': 'nosniff',
      },
    });
  });
}

function assets(): Assets {
  known ??= readAssets();
  return known;
}

function readAssets(): Assets {
  const styles = [colors, frame, controls, tables, pieces, narrow];
  const css = styles.join('').replace(/\n\s*/g, '\n').trim();
  const files = new Map([['dashboard.css', { text: css, type: 'text/css' }]]);
  for (const name of MODULES) {
    const text = fs.readFileSync(path.join(scriptFolder(), `${name}.js`), 'utf8');
    files.set(`${name}.js`, { text, type: 'text/javascript' });
  }
  const hash = createHash('sha256');
  for (const [name, { text }] of files) hash.update(`${name}\n${text}\n`);
  return { base: `/_sandbox/assets/${hash.digest('hex').slice(0, 12)}`, files };
}

/** `browser/` here; where everything is bundled into one folder, `dashboard/` beside the bundle. */
function scriptFolder(): string {
  const bundled = path.join(import.meta.dirname, 'dashboard');
  return fs.existsSync(bundled) ? bundled : path.join(import.meta.dirname, 'browser');
}
