import type { Endpoint } from '../http/endpoint.ts';
import { readFixture } from '../kernel/fixture.ts';
import type { ExampleCall } from '../openapi/examples.ts';
import { encodeStrict } from '../signing/canonical.ts';
import { Code } from './components.tsx';
import { type ExampleRequest, LANGUAGES, type Language } from './languages.ts';

/** The example calls of a snippet begin after this line. */
const CALLS_MARK = /^ *(?:#|\/\/) Calls:\n/m;

const IDEMPOTENCY_KEY = 'order-4711';

export function snippet(file: string): string {
  return readFixture(`snippets/${file}`);
}

export function beforeCalls(text: string): string {
  return text.slice(0, CALLS_MARK.exec(text)?.index ?? text.length);
}

export function signerOf({ partnerFile }: Language): string {
  return beforeCalls(snippet(partnerFile));
}

export function programOf(language: Language, request: ExampleRequest): string {
  return signerOf(language) + language.callOf(request);
}

/** Builds the request of an example. @param path with `:name` for a parameter */
export function exampleRequest(
  { method, path, idempotent }: Pick<Endpoint, 'method' | 'path' | 'idempotent'>,
  { parameters = {}, body }: Partial<ExampleCall> = {},
): ExampleRequest {
  const idempotencyKey = idempotent ? IDEMPOTENCY_KEY : undefined;
  return { method, target: targetOf(path, parameters), body, idempotencyKey };
}

/** Fills path and query in. @param path with `:name` for a parameter */
export function targetOf(path: string, parameters: Record<string, unknown>): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeStrict(`${parameters[name] ?? name}`),
  );
  const query = Object.entries(parameters)
    .filter(([name]) => !path.includes(`:${name}`))
    .map(([name, value]) => `${encodeStrict(name)}=${encodeStrict(String(value))}`)
    .join('&');
  return query === '' ? filled : `${filled}?${query}`;
}

/** Renders a request in every language; the page shows one of them. */
export function RequestInEveryLanguage({ request }: { request: ExampleRequest }) {
  return (
    <>
      {LANGUAGES.map((language) => (
        <Code
          class={`by-language in-${language.id}`}
          signer={signerId(language)}
          label={
            <>
              {language.label}, after the <a href="#signers">signer</a>
            </>
          }
          text={language.callOf(request)}
        />
      ))}
    </>
  );
}

export function Signers() {
  return (
    <>
      {LANGUAGES.map((language) => (
        <Code
          class={`by-language in-${language.id}`}
          id={signerId(language)}
          label={`${language.label}: ${language.partnerFile}`}
          text={signerOf(language)}
        />
      ))}
    </>
  );
}

export function WebhookVerifiers() {
  return (
    <>
      {LANGUAGES.map(({ id, label, webhookFile }) => (
        <Code
          class={`by-language in-${id}`}
          label={`${label}: ${webhookFile}`}
          text={snippet(webhookFile)}
        />
      ))}
    </>
  );
}

function signerId({ id }: Language): string {
  return `signer-${id}`;
}
