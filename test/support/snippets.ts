import { readFixture } from '../../src/kernel/fixture.ts';

/** The example calls of a snippet begin after this line. */
const CALLS_MARK = /^ *(?:#|\/\/) Calls:\n/m;

export function snippet(file: string): string {
  return readFixture(`snippets/${file}`);
}

export function beforeCalls(text: string): string {
  return text.slice(0, CALLS_MARK.exec(text)?.index ?? text.length);
}
