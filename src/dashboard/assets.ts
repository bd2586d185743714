import type { Hono } from 'hono';
import { type Asset, bundle, packageFile, script, stylesheet, toolScript } from '../ui/assets.ts';
import type { ToolPages } from './page.tsx';

const STYLES = ['colors', 'base', 'controls', 'layout', 'tables', 'components'];

/** What `main.js` imports, directly or not. */
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
  const toolNames = tools.flatMap((tool) => tool.script ?? []);
  const base = stylesheet(...STYLES);
  // Last, since on narrow screens it overrides the other rules.
  const responsive = stylesheet('responsive');
  const css: Asset = { ...base, text: [base.text, ...styles, responsive.text].join('\n') };
  const main = script('main');
  const imports = toolNames.map((name) => `import './${name}.js';\n`);
  const { folder, respond } = bundle('/_sandbox/assets', {
    'dashboard.css': css,
    'main.js': { ...main, text: imports.join('') + main.text },
    'idiomorph.js': packageFile('idiomorph', 'dist/idiomorph.esm.js'),
    ...Object.fromEntries(MODULES.map((name) => [`${name}.js`, script(name)])),
    ...Object.fromEntries(toolNames.map((name) => [`${name}.js`, toolScript(name)])),
  });
  app.get('/_sandbox/assets/:version/:name', (c) => {
    return respond(c.req.param('version'), c.req.param('name')) ?? c.notFound();
  });
  return { stylesheet: `${folder}dashboard.css`, script: `${folder}main.js` };
}
