import fs from 'node:fs';
import { createRequire } from 'node:module';
import { CALLS_MARK, type Language, type ShownCall } from './languages.ts';

/** A file of fixtures/snippets, which the package carries. */
export function snippet(file: string): string {
  // By the package's own name: the way there is another from the sources than from the bundle.
  const require = createRequire(import.meta.filename);
  return fs.readFileSync(require.resolve(`sandlot/fixtures/snippets/${file}`), 'utf8');
}

/** A whole program that signs and makes this call, to be copied and run. */
export function programOf(language: Language, call: ShownCall): string {
  return signerOf(language) + language.callOf(call);
}

/** The signer alone, without its example. */
export function signerOf({ partnerFile }: Language): string {
  return beforeCalls(snippet(partnerFile));
}

/** What a snippet defines, up to where it is used. */
export function beforeCalls(text: string): string {
  return text.slice(0, CALLS_MARK.exec(text)?.index ?? text.length);
}
