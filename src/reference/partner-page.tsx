import { ENDPOINTS } from '../api/index.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { examplesAt } from '../openapi/examples.ts';
import { templateOf } from '../openapi/operation.ts';
import { partnerDocument } from '../openapi/partner-document.ts';
import { AUTHENTICATION_CODES } from '../openapi/signing.ts';
import { CallInEveryLanguage } from './code.tsx';
import { type Document, operationsOf, type Placed } from './document.ts';
import { type Entry, Frame } from './frame.tsx';
import { OperationSection } from './operation.tsx';
import { Prose } from './prose.tsx';
import { Errors } from './sections/errors.tsx';
import { Limits } from './sections/limits.tsx';
import { Mistakes } from './sections/mistakes.tsx';
import { Rare } from './sections/rare.tsx';
import { Signing } from './sections/signing.tsx';
import { Start } from './sections/start.tsx';
import { States } from './sections/states.tsx';
import { Webhooks } from './sections/webhooks.tsx';
import { shownCallOf } from './shown-call.ts';

/** Told once, in the section on errors. */
const EVERYWHERE = [...AUTHENTICATION_CODES, 'forbidden', 'rate_limited', 'internal_error'];

/** The reference of the partner API. @param baseUrl without a trailing slash */
export function PartnerPage({ baseUrl }: { baseUrl: string }) {
  const document = partnerDocument(baseUrl) as unknown as Document;
  const examples = examplesAt(baseUrl);
  const operations = operationsOf(document);
  const groups = document.tags.map(({ name, description }) => ({
    id: idOf(name),
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const contents: Entry[] = [
    { id: 'start', label: 'Start here' },
    {
      id: 'signing',
      label: 'Signing',
      below: [
        { id: 'signers', label: 'Signers to copy' },
        { id: 'mistakes', label: 'Signing mistakes' },
      ],
    },
    ...groups.map(({ id, name, operations }) => ({
      id,
      label: name,
      below: operations.map(({ method, path, operation }) => ({
        id: operation.operationId,
        label: `${method} ${path.replace(/^\/api\/partner(?:\/v1)?/, '')}`,
      })),
    })),
    {
      id: 'webhooks',
      label: 'Webhooks',
      below: Object.keys(document.webhooks ?? {}).map((type) => ({
        id: `on-${type}`,
        label: type,
      })),
    },
    { id: 'states', label: 'Order states' },
    { id: 'errors', label: 'Errors' },
    { id: 'limits', label: 'Limits' },
    { id: 'rare', label: 'Magic domains and faults' },
  ];
  return (
    <Frame
      title="Partner API"
      version={document.info.version}
      api="partner"
      contents={contents}
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
              <OperationSection
                {...placed}
                document={document}
                everywhere={EVERYWHERE}
                when={endpoint.errors}
              >
                <CallInEveryLanguage call={shownCallOf(endpoint, example)} />
              </OperationSection>
            );
          })}
        </section>
      ))}
      <Webhooks document={document} />
      <States />
      <Errors examples={examples.errors} />
      <Limits />
      <Rare />
    </Frame>
  );
}

function endpointOf({ method, path, operation }: Placed): Endpoint {
  const found = ENDPOINTS.find((each) => each.name === operation.operationId);
  if (found && templateOf(found.path) === path) return found;
  throw new Error(`no endpoint is ${method} ${path}`);
}

/** `Settlement, history, refunds` is `settlement-history-refunds`. */
function idOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]+/g, '-');
}
