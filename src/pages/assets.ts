import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import { base } from './style/base.ts';
import { colors } from './style/colors.ts';
import { controls } from './style/controls.ts';
import { places } from './style/places.ts';

const STYLESHEET = [colors, base, controls, places].join('').replace(/\n\s*/g, '\n').trim();

/** Seen in the tab of the browser; the same diamond stands in the header. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2f8f63" d="M12 1.5 22.5 12 12 22.5 1.5 12z"/><path fill="#fff" d="M12 7.2 16.8 12 12 16.8 7.2 12z"/></svg>';

/** Named by what is in them, so that a browser may keep them for good. */
export const STYLESHEET_PATH = `/assets/sandlot-${fingerprint(STYLESHEET)}.css`;
export const ICON_PATH = `/assets/sandlot-${fingerprint(ICON)}.svg`;

/** Serves the stylesheet and the icon: all that the pages load. */
export function serveAssets(app: Hono): void {
  app.get(STYLESHEET_PATH, () => asset(STYLESHEET, 'text/css'));
  app.get(ICON_PATH, () => asset(ICON, 'image/svg+xml'));
}

function asset(text: string, type: string): Response {
  return new Response(text, {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
