import { LANGUAGES, type ShownCall } from './languages.ts';

/** A block of text to be copied as it stands. */
export function Code({ text, label }: { text: string; label?: string }) {
  return (
    <figure class="code">
      {label && <figcaption>{label}</figcaption>}
      <pre tabindex={0}>
        <code>{text.trimEnd()}</code>
      </pre>
    </figure>
  );
}

export function JsonCode({ value, label }: { value: unknown; label?: string }) {
  return <Code text={JSON.stringify(value, null, 2)} {...(label !== undefined && { label })} />;
}

/** Id of the signer of a language; what the script copies in front of its calls. */
export function signerId(language: string): string {
  return `signer-${language}`;
}

/** A call in every language; that which is chosen at the top of the page shows. */
export function CallInEveryLanguage({ call }: { call: ShownCall }) {
  return (
    <>
      {LANGUAGES.map((language) => (
        <figure class={`code by-language in-${language.id}`} data-signer={signerId(language.id)}>
          <figcaption>
            {language.label}, after the <a href="#signers">signer</a>
          </figcaption>
          <pre tabindex={0}>
            <code>{language.callOf(call).trimEnd()}</code>
          </pre>
        </figure>
      ))}
    </>
  );
}

/** What every language has a text of its own for. */
export function InEveryLanguage({
  textOf,
  idOf,
  fileOf,
}: {
  textOf: (language: (typeof LANGUAGES)[number]) => string;
  fileOf: (language: (typeof LANGUAGES)[number]) => string;
  idOf?: (language: string) => string;
}) {
  return (
    <>
      {LANGUAGES.map((language) => (
        <figure class={`code by-language in-${language.id}`} id={idOf?.(language.id)}>
          <figcaption>
            {language.label}: {fileOf(language)}
          </figcaption>
          <pre tabindex={0}>
            <code>{textOf(language).trimEnd()}</code>
          </pre>
        </figure>
      ))}
    </>
  );
}
