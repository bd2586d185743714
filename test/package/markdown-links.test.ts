import { expect, test } from 'vitest';
import { linkedFiles, replaceLinks } from '../../scripts/package/markdown-links.ts';

const TEXT =
  'See [here](#top), [a page](docs/a.md#b), [how](../src/x.ts) and [web](https://x.test/y).';
const isShipped = (file: string) => file === 'pages/docs/a.md';

test('the files that a document links to are found, without its code', () => {
  expect(linkedFiles('pages/index.md', `${TEXT} \`[no](no.md)\``)).toEqual([
    'pages/docs/a.md',
    'src/x.ts',
  ]);
});

test('a link to a file that is not shipped becomes absolute, or text without a public repository', () => {
  const replaced = (repository?: string) =>
    replaceLinks('pages/index.md', TEXT, isShipped, repository);
  expect(replaced()).toBe(TEXT.replace('[how](../src/x.ts)', 'how'));
  expect(replaced('https://git.test/o/r')).toBe(
    TEXT.replace('../src/x.ts', 'https://git.test/o/r/blob/HEAD/src/x.ts'),
  );
});
