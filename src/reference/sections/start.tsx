import { DEFAULT_CREDENTIAL } from '../../market/defaults.ts';
import { Code, EmulatorChoice, Prose } from '../components.tsx';

export function Start({ baseUrl, description }: { baseUrl: string; description: string }) {
  const variables = [
    `export SANDLOT_URL=${baseUrl}`,
    `export SANDLOT_KEY_ID=${DEFAULT_CREDENTIAL.keyId}`,
    `export SANDLOT_SECRET=${DEFAULT_CREDENTIAL.secret}`,
  ].join('\n');
  // The text before the list is about the document itself.
  const conventions = description.slice(description.indexOf('- '));
  return (
    <section id="start">
      <div class="two">
        <div class="stack text">
          <h1>Partner API</h1>
          <p>
            Search listed domains, price and sell them, and reconcile payouts. Every request is{' '}
            <a href="#signing">signed</a>.
          </p>
          <p>
            This page describes sandlot, a local emulator. Do not depend on what the specification
            leaves open. It is marked like this: <EmulatorChoice />
          </p>
          <Prose text={conventions} />
        </div>
        <div class="stack">
          <Code label="Environment of the examples" text={variables} />
          <p>
            This credential exists in every new sandbox and has every scope. To mint another, run{' '}
            <code>sandlot credentials create</code>. This page loads nothing from other sites, so
            you can save it and read it offline.
          </p>
        </div>
      </div>
    </section>
  );
}
