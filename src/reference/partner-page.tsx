import { ENDPOINTS } from '../api/index.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { DEFAULT_CREDENTIAL } from '../market/defaults.ts';
import { templateOf } from '../openapi/document.ts';
import { examplesAt } from '../openapi/examples.ts';
import { partnerDocument } from '../openapi/partner-document.ts';
import { AUTHENTICATION_CODES } from '../openapi/signing.ts';
import { Code, EmulatorChoice, Prose } from './components.tsx';
import type { ApiPageProps } from './control-page.tsx';
import {
  type Document,
  type Group,
  groupsOf,
  type PlacedOperation,
  readDocument,
} from './document.ts';
import { type Entry, Frame, groupEntries } from './frame.tsx';
import { OperationSection } from './operation.tsx';
import { Errors, Limits, Simulation, States } from './sections/facts.tsx';
import { Mistakes, Signing } from './sections/signing.tsx';
import { Webhooks } from './sections/webhooks.tsx';
import { exampleRequest, RequestInEveryLanguage } from './snippets.tsx';

/** Codes of every operation, described once in the section on errors. */
const COMMON = [...AUTHENTICATION_CODES, 'forbidden', 'rate_limited', 'internal_error'];

export function PartnerPage({ baseUrl, assets }: ApiPageProps) {
  const document = readDocument(partnerDocument(baseUrl));
  const examples = examplesAt(baseUrl);
  const groups = groupsOf(document);
  return (
    <Frame
      title="Partner API"
      version={document.info.version}
      api="partner"
      assets={assets}
      contents={contentsOf(document, groups)}
      languages
    >
      <Start baseUrl={baseUrl} description={document.info.description} />
      <Signing />
      <Mistakes />
      {groups.map(({ id, name, description, operations }) => (
        <section id={id} aria-labelledby={`${id}-title`}>
          <div class="head stack text">
            <h2 id={`${id}-title`}>{name}</h2>
            <Prose text={description} />
          </div>
          {operations.map((placed) => {
            const endpoint = endpointOf(placed);
            const [example] = examples.partner[endpoint.name] ?? [];
            return (
              <OperationSection {...placed} common={COMMON} when={endpoint.errors}>
                <RequestInEveryLanguage request={exampleRequest(endpoint, example)} />
              </OperationSection>
            );
          })}
        </section>
      ))}
      <Webhooks document={document} />
      <States />
      <Errors examples={examples.errors} />
      <Limits />
      <Simulation />
    </Frame>
  );
}

function contentsOf(document: Document, groups: readonly Group[]): Entry[] {
  return [
    { id: 'start', label: 'Introduction' },
    {
      id: 'signing',
      label: 'Signing',
      entries: [
        { id: 'signers', label: 'Signers' },
        { id: 'mistakes', label: 'Signing mistakes' },
      ],
    },
    ...groupEntries(groups),
    {
      id: 'webhooks',
      label: 'Webhooks',
      entries: Object.keys(document.webhooks ?? {}).map((type) => ({
        id: `on-${type}`,
        label: type,
      })),
    },
    { id: 'states', label: 'Order states' },
    { id: 'errors', label: 'Errors' },
    { id: 'limits', label: 'Limits' },
    { id: 'simulation', label: 'Magic domains and faults' },
  ];
}

function endpointOf({ method, path, operation }: PlacedOperation): Endpoint {
  const endpoint = ENDPOINTS.find((declared) => declared.name === operation.operationId);
  if (endpoint && templateOf(endpoint.path) === path) return endpoint;
  throw new Error(`no endpoint for ${method} ${path}`);
}

function Start({ baseUrl, description }: { baseUrl: string; description: string }) {
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
