import type { Hono } from 'hono';
import {
  type Asset,
  assetResponse,
  fingerprint,
  packageFile,
  script,
  stylesheet,
  toolScript,
} from '../ui/assets.ts';
import type { ToolPages } from './page.tsx';

const STYLES = ['colors', 'base', 'controls', 'layout', 'tables', 'components'];

/** `main.js` imports these. */
const MODULES = ['actions', 'control-api', 'copy', 'dialogs', 'fields', 'live', 'shortcuts'];

/** Paths of the stylesheet and the script. */
export interface AssetPaths {
  stylesheet: string;
  script: string;
}

/**
 * Serves the stylesheet and the script. They hold no data, so they need no token.
 * @param tools whose styles and scripts are added
 */
export function serveAssets(app: Hono, tools: readonly ToolPages[]): AssetPaths {
  const styles = tools.flatMap((tool) => tool.styles ?? []);
  const scripts = tools.flatMap((tool) => tool.script ?? []);
  const { text } = stylesheet(...STYLES);
  const narrow = stylesheet('responsive');
  const css: Asset = { ...narrow, text: [text, ...styles, narrow.text].join('\n') };
  const main = script('main');
  const imports = scripts.map((tool) => `import './${tool}.js';\n`);
  const files = new Map<string, Asset>([
    ['dashboard.css', css],
    ['main.js', { ...main, text: imports.join('') + main.text }],
    ['idiomorph.js', packageFile('idiomorph', 'dist/idiomorph.esm.js')],
    ...MODULES.map((name) => [`${name}.js`, script(name)] as const),
    ...scripts.map((tool) => [`${tool}.js`, toolScript(tool)] as const),
  ]);
  const base = `/_sandbox/assets/${fingerprint(files.values())}`;
  app.get('/_sandbox/assets/:version/:name', (c) => {
    const file = files.get(c.req.param('name'));
    if (!file || !base.endsWith(`/${c.req.param('version')}`)) return c.notFound();
    return assetResponse(file);
  });
  return { stylesheet: `${base}/dashboard.css`, script: `${base}/main.js` };
}
