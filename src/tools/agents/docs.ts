import fs from 'node:fs';
import path from 'node:path';
import { notFound } from '../../kernel/errors.ts';
import { packagePath } from '../../kernel/fixture.ts';
import { lazily } from '../../kernel/lazily.ts';
import type { Args } from './action.ts';

const MAX_FOUND = 8;
const MAX_EXCERPT = 300;

/** The sections of the documentation, which the package contains. */
const sections = lazily(() => {
  const folder = packagePath('docs');
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.sort().flatMap((name) => {
    const page = name.replace(/\.md$/, '');
    const parts = fs.readFileSync(path.join(folder, name), 'utf8').split(/^(?=#{1,3} )/m);
    return parts.map((text) => ({ page, heading: /^.*/.exec(text)?.[0] ?? '', text }));
  });
});

/** Returns the sections with the most of the words; one in the heading counts twice. */
export async function searchDocs({ text: query }: Args) {
  const words = String(query).toLowerCase().split(/\s+/).filter(Boolean);
  const countIn = (text: string) =>
    words.filter((word) => text.toLowerCase().includes(word)).length;
  const found = sections()
    .map((section) => ({ ...section, score: countIn(section.text) + countIn(section.heading) }))
    .filter(({ score, heading, text }) => score > 0 && text.trim() !== heading)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_FOUND);
  return {
    sections: found.map(({ page, heading, text }) => {
      const excerpt = text.slice(heading.length).trim().slice(0, MAX_EXCERPT);
      return { page, heading, excerpt };
    }),
  };
}

/** Returns a page by sections, so that a long one is cut at a whole one. @throws not_found */
export async function readDocs({ page }: Args) {
  const parts = sections().filter((each) => each.page === page);
  if (parts.length > 0) return { page, sections: parts.map(({ text }) => text) };
  const pages = [...new Set(sections().map((each) => each.page))];
  throw notFound(`page: "${page}" not found; use ${pages.join(', ')}`);
}
