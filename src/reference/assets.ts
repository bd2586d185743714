import { createHash } from 'node:crypto';
import { base } from '../pages/style/base.ts';
import { colors } from '../pages/style/colors.ts';
import { SCRIPT } from './script.ts';
import { style } from './style.ts';

const STYLESHEET = [colors, base, style].join('').replace(/\n\s*/g, '\n').trim();

/** Named by what is in them; served below the control door, as the pages are. */
export const STYLESHEET_PATH = pathOf('css', STYLESHEET);
export const SCRIPT_PATH = pathOf('js', SCRIPT);

/** What the pages load, by its name. @returns undefined for what is none of them */
export function findAsset(name: string): { text: string; type: string } | undefined {
  if (STYLESHEET_PATH.endsWith(`/${name}`)) return { text: STYLESHEET, type: 'text/css' };
  if (SCRIPT_PATH.endsWith(`/${name}`)) return { text: SCRIPT, type: 'text/javascript' };
  return undefined;
}

function pathOf(ending: string, text: string): string {
  const print = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `/_sandbox/reference/assets/${print}.${ending}`;
}
