import { expect, test } from 'vitest';
import { stylesheet } from '../../src/ui/assets.ts';

const COLORS = new Map(
  Array.from(
    stylesheet('colors').text.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g),
    ([, name = '', light = '', dark = '']) => [name, { light, dark }] as const,
  ),
);

const TEXT: [ink: string, ground: string][] = [
  ['ink', 'page'],
  ['ink', 'surface'],
  ['ink', 'well'],
  ['soft', 'page'],
  ['soft', 'surface'],
  ['soft', 'well'],
  ['accent', 'surface'],
  ['accent', 'page'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['error', 'surface'],
  ['error', 'error-wash'],
  ['on-warning', 'warning'],
  ['accent', 'success-wash'],
  ['accent', 'well'],
  ['ink', 'success-wash'],
  ['surface', 'error'],
];
const EDGES: [edge: string, ground: string][] = [
  ['edge', 'surface'],
  ['edge', 'page'],
  ['error', 'surface'],
  ['focus', 'surface'],
  ['focus', 'page'],
  ['focus', 'error-wash'],
  ['accent', 'success-wash'],
];

test.each(['light', 'dark'] as const)(
  '%s: text has 4.5:1 and edges 3:1 (WCAG 2.2, AA)',
  (theme) => {
    for (const [ink, ground] of TEXT) {
      expect(contrast(theme, ink, ground), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
    for (const [edge, ground] of EDGES) {
      expect(contrast(theme, edge, ground), `${edge} on ${ground}`).toBeGreaterThanOrEqual(3);
    }
  },
);

function contrast(theme: 'light' | 'dark', one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(theme, one), luminance(theme, other)].sort(
    (a, b) => a - b,
  );
  return (high + 0.05) / (low + 0.05);
}

function luminance(theme: 'light' | 'dark', name: string): number {
  const hex = COLORS.get(name)?.[theme].slice(1);
  if (!hex) throw new Error(`no color --${name}`);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
