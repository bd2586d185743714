import { readFixture } from '../../src/kernel/fixture.ts';

export interface Language {
  id: string;
  label: string;
  /** File of fixtures/snippets that signs and sends requests, with example calls at its end. */
  partnerFile: string;
  /** File of fixtures/snippets that verifies webhooks. */
  webhookFile: string;
}

/** The languages of the documented signers and webhook verifiers. */
export const LANGUAGES: readonly Language[] = [
  { id: 'curl', label: 'curl', ...files('sh') },
  { id: 'node', label: 'Node.js', ...files('mjs') },
  { id: 'python', label: 'Python', ...files('py') },
  { id: 'php', label: 'PHP', ...files('php') },
  { id: 'ruby', label: 'Ruby', ...files('rb') },
  { id: 'java', label: 'Java', partnerFile: 'Partner.java', webhookFile: 'Webhook.java' },
];

function files(extension: string) {
  return { partnerFile: `partner.${extension}`, webhookFile: `webhook.${extension}` };
}

/** The example calls of a snippet begin after this line. */
const CALLS_MARK = /^ *(?:#|\/\/) Calls:\n/m;

export function snippet(file: string): string {
  return readFixture(`snippets/${file}`);
}

export function beforeCalls(text: string): string {
  return text.slice(0, CALLS_MARK.exec(text)?.index ?? text.length);
}

export function signerOf({ partnerFile }: Language): string {
  return beforeCalls(snippet(partnerFile));
}
