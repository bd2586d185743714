import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { GENERATED, withSections } from '../../scripts/docs/generated-sections.ts';
import { signWebhook } from '../../src/signing/signature.ts';
import { shellBlocksOf } from '../support/documents.ts';
import { ROOT } from '../support/sandlot-process.ts';

const read = (document: string) => fs.readFileSync(path.join(ROOT, document), 'utf8');
const PAGES = fs
  .readdirSync(path.join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...fs.globSync('src/**/README.md', { cwd: ROOT }),
  'fixtures/README.md',
  ...PAGES,
];

test.each(Object.keys(GENERATED))(
  'the generated sections of %s are current (npm run docs)',
  (document) => {
    expect(read(document)).toBe(withSections(document, read(document)));
  },
);

describe.each(DOCUMENTS)('%s', (document) => {
  test('links only to files and headings that exist', () => {
    expect(brokenLinks(document)).toEqual([]);
  });

  test('has no comments in its commands: zsh does not accept them at the prompt', () => {
    const commented = shellBlocksOf(read(document)).filter((block) => /(^|\s)#(\s|$)/m.test(block));
    expect(commented).toEqual([]);
  });
});

test('the webhook verification of docs/webhooks.md rejects every forgery without an exception', async () => {
  const code = /```js\n(.*?)```/s.exec(read('docs/webhooks.md'))?.[1] ?? '';
  const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    isGenuine(body: string, signature: string | undefined, secret: string): boolean;
  };
  const signature = signWebhook('whsec_local', Buffer.from('{}'));
  expect(isGenuine('{}', signature, 'whsec_local')).toBe(true);
  for (const forged of [undefined, '', 'x', '0'.repeat(64), 'é'.repeat(64), signature.slice(1)]) {
    expect(isGenuine('{}', forged, 'whsec_local'), forged).toBe(false);
  }
});

test('the README links to every page of the documentation', () => {
  const linked = new Set(linksOf(read('README.md')).map(({ file }) => file));
  expect(PAGES.filter((page) => !linked.has(page))).toEqual([]);
});

test.each(fs.globSync('src/**/README.md', { cwd: ROOT }))(
  '%s names only files that exist',
  (page) => {
    const named = [...read(page).matchAll(/`(\w[\w./-]*(?:\/|\.tsx?))`/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(5);
    const missing = named.filter(
      (name) => !['', 'src'].some((folder) => fs.existsSync(path.join(ROOT, folder, name))),
    );
    expect(missing).toEqual([]);
  },
);

function linksOf(text: string): { file: string; heading: string | undefined }[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target))
    .map((target) => ({ file: target.split('#')[0] ?? '', heading: target.split('#')[1] }));
}

function brokenLinks(document: string): string[] {
  return linksOf(read(document)).flatMap(({ file, heading }) => {
    const target = file === '' ? document : path.join(path.dirname(document), file);
    if (!fs.existsSync(path.join(ROOT, target))) return [file];
    if (heading === undefined || headingsOf(read(target)).includes(heading)) return [];
    return [`${file}#${heading}`];
  });
}

/** The anchors that GitHub gives to headings. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
