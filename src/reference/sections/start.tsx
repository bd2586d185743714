import { DEFAULT_CREDENTIAL } from '../../market/defaults.ts';
import { Choice } from '../choice.tsx';
import { Code } from '../code.tsx';
import { Inline, Prose } from '../prose.tsx';

/** What a client needs to know of this sandbox. */
export function Start({ baseUrl, description }: { baseUrl: string; description: string }) {
  const variables = [
    `export SANDLOT_URL=${baseUrl}`,
    `export SANDLOT_KEY_ID=${DEFAULT_CREDENTIAL.keyId}`,
    `export SANDLOT_SECRET=${DEFAULT_CREDENTIAL.secret}`,
  ].join('\n');
  // Before the list the document speaks of itself.
  const conventions = description.slice(description.indexOf('- '));
  return (
    <section id="start">
      <div class="two">
        <div class="stack text">
          <h1>Partner API</h1>
          <p>
            <Inline text="Search listed domains, price and sell them, and reconcile the money. Every request is signed:" />{' '}
            <a href="#signing">how</a>.
          </p>
          <p>
            <Inline text="This is what sandlot, a local emulator, does. Where the specification is silent the emulator had to choose, and a client had better not lean on it. Such places look like this:" />
            <Choice />
          </p>
          <Prose text={conventions} />
        </div>
        <div class="stack">
          <Code label="This sandbox, for the examples below" text={variables} />
          <p>
            That credential exists in every fresh sandbox and holds every scope. Others are minted
            with <code>sandlot credentials create</code>. Nothing on this page is loaded from
            elsewhere, so it can be saved and read offline.
          </p>
        </div>
      </div>
    </section>
  );
}
