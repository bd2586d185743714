import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { lazily } from '../kernel/lazily.ts';

export interface Asset {
  text: string;
  type: 'text/css' | 'text/javascript' | 'image/svg+xml';
}

/** Joins files of `ui/css`. */
export function stylesheet(...names: string[]): Asset {
  const text = names.map((name) => readFile('css', `${name}.css`)).join('\n');
  return { text, type: 'text/css' };
}

/** Returns a file of `ui/browser`. */
export function script(name: string): Asset {
  return { text: readFile('browser', `${name}.js`), type: 'text/javascript' };
}

/** Returns a script or stylesheet of an npm package, which `scripts/build.mjs` lists, to copy it into the package. */
export function packageFile(name: string, file: string): Asset {
  const bundled = path.join(import.meta.dirname, 'ui', name, file);
  const source = () => createRequire(import.meta.url).resolve(`${name}/${file}`);
  const text = fs.readFileSync(fs.existsSync(bundled) ? bundled : source(), 'utf8');
  return { text, type: file.endsWith('.css') ? 'text/css' : 'text/javascript' };
}

/** Returns the script of a tool, `tools/NAME/browser.js`. It is served from the same folder as those of `ui/browser`. */
export function toolScript(tool: string): Asset {
  const source = readFile('../tools', tool, 'browser.js');
  return { text: source.replaceAll('../../ui/browser/', './'), type: 'text/javascript' };
}

/** Makes files available below a path that changes with their content, so browsers may keep them forever. */
export function bundle(folder: string, files: Readonly<Record<string, Asset>>) {
  const hash = createHash('sha256');
  for (const { text } of Object.values(files)) hash.update(text);
  const version = hash.digest('hex').slice(0, 12);
  return {
    folder: `${folder}/${version}/`,
    /** @returns undefined for a file that the bundle does not have, or another version */
    respond(requestedVersion: string, name: string): Response | undefined {
      const file = Object.hasOwn(files, name) ? files[name] : undefined;
      if (!file || requestedVersion !== version) return undefined;
      return new Response(file.text, {
        headers: {
          'Content-Type': `${file.type}; charset=utf-8`,
          'Cache-Control': 'public, max-age=31536000, immutable',
          'Content-Security-Policy': "default-src 'none'",
          'X-Content-Type-Options': 'nosniff',
        },
      });
    },
  };
}

const ICON: Asset = {
  text: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2f8f63" d="M12 1.5 22.5 12 12 22.5 1.5 12z"/><path fill="#fff" d="M12 7.2 16.8 12 12 16.8 7.2 12z"/></svg>',
  type: 'image/svg+xml',
};

/** The icon of every page, and the stylesheet of hosted pages. */
export const publicAssets = lazily(() =>
  bundle('/assets', {
    'icon.svg': ICON,
    'pages.css': stylesheet('colors', 'base', 'controls', 'pages'),
  }),
);

/** Reads from beside this module; the build copies what is read to the same places beside the bundle. */
function readFile(...names: string[]): string {
  const bundled = path.join(import.meta.dirname, 'ui');
  const folder = fs.existsSync(bundled) ? bundled : import.meta.dirname;
  return fs.readFileSync(path.join(folder, ...names), 'utf8');
}
