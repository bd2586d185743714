import { ENDPOINTS } from '../api/index.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { templateOf } from '../openapi/document.ts';
import { examplesAt } from '../openapi/examples.ts';
import { partnerDocument } from '../openapi/partner-document.ts';
import { AUTHENTICATION_CODES } from '../openapi/signing.ts';
import { Prose } from './components.tsx';
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
import { Start } from './sections/start.tsx';
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
  const found = ENDPOINTS.find((each) => each.name === operation.operationId);
  if (found && templateOf(found.path) === path) return found;
  throw new Error(`no endpoint for ${method} ${path}`);
}
