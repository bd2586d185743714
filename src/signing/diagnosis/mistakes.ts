import { BODY_MISTAKES } from './body.ts';
import { DIGEST_MISTAKES, SECRET_MISTAKES } from './key.ts';
import { LAYOUT_MISTAKES } from './layout.ts';
import type { MistakeText } from './mistake.ts';
import { PATH_MISTAKES } from './path.ts';
import { QUERY_MISTAKES } from './query-spellings.ts';
import { SHORT_LINE_MISTAKES } from './short-lines.ts';

const TEXTS = {
  ...SHORT_LINE_MISTAKES,
  ...PATH_MISTAKES,
  ...QUERY_MISTAKES,
  ...BODY_MISTAKES,
  ...LAYOUT_MISTAKES,
  ...SECRET_MISTAKES,
  ...DIGEST_MISTAKES,
} as const satisfies Record<string, MistakeText>;

export type MistakeSlug = keyof typeof TEXTS;

export interface Mistake extends MistakeText {
  slug: MistakeSlug;
}

/** Every mistake, in the order of the lines of the canonical string. */
export const MISTAKES: readonly Mistake[] = Object.entries(TEXTS).map(([slug, text]) => ({
  slug: slug as MistakeSlug,
  ...text,
}));

export function mistakeText(slug: MistakeSlug): MistakeText {
  return TEXTS[slug];
}
