import { ENDPOINTS } from '../../api/index.ts';
import { CHECK_ORDER } from '../../http/pipeline/steps.ts';
import { SPECIFIED_RATE_LIMITS } from '../../http/rate-limits.ts';
import { ERROR_STATUS, type ErrorCode } from '../../kernel/errors.ts';
import { MAGIC_DOMAINS } from '../../market/inventory/magic-domains.ts';
import { TRANSITIONS } from '../../market/orders/order-actions.ts';
import { templateOf } from '../../openapi/document.ts';
import { ERROR_MEANING } from '../../openapi/partner-document.ts';
import { MAX_SKEW_SECONDS } from '../../signing/signature.ts';
import type { RateClass } from '../../store/schema/enums.ts';
import { Code, EmulatorChoice, JsonCode, Paragraph, Table, TextSection } from '../components.tsx';

export function States() {
  return (
    <TextSection
      id="states"
      title="Order states"
      intro="These are all moves of an order. In the sandbox, `sandlot orders advance` takes the steps of the marketplace, and a settlement run settles completed orders. The domain of a refunded or cancelled order is listed again."
    >
      <Table
        caption="Order states"
        hideCaption
        headings={['From', 'Action', 'To', 'Event']}
        rows={TRANSITIONS.map(({ from, action, to, event }) => [
          from ? <code>{from}</code> : 'none',
          action,
          <code>{to}</code>,
          event ? <a href={`#on-${event}`}>{event}</a> : 'none',
        ])}
        rowHeading={-1}
      />
    </TextSection>
  );
}

const CHECKS_IN_ORDER = CHECK_ORDER.map((check) => `\`${check}\``).join(', ');

export function Errors({ examples }: { examples: Record<string, unknown> }) {
  const codes = Object.entries(ERROR_STATUS).toSorted(([, a], [, b]) => a - b);
  const errors = [
    ...codes.map(([code, status]) => ({ code, status, meaning: ERROR_MEANING[code as ErrorCode] })),
    { code: 'validation_error', status: 413, meaning: 'The body is larger than 1 MiB.' },
  ];
  return (
    <TextSection id="errors" title="Errors">
      <div class="two">
        <Paragraph
          class="text"
          text={`Every error has this body. \`code\` is one of the codes below; \`message\` is for people and may change. The checks of a request run in this order: ${CHECKS_IN_ORDER}. A request that fails before \`nonce\` does not use its nonce. The decision trace of a request uses the same names.`}
        />
        <JsonCode label="Error" value={examples.price_mismatch} />
      </div>
      <Table
        caption="Error codes"
        hideCaption
        headings={['Status', 'Code', 'When', 'Example message']}
        rowHeading={1}
        rows={errors.map(({ code, status, meaning }) => [
          status,
          <code>{code}</code>,
          meaning,
          <span class="quiet">{messageOf(examples[status === 413 ? '413' : code])}</span>,
        ])}
      />
    </TextSection>
  );
}

function messageOf(example: unknown): string {
  return (example as { error?: { message?: string } } | undefined)?.error?.message ?? '';
}

const OTHER_LIMITS: readonly (readonly [what: string, value: string, chosen?: 'chosen'])[] = [
  ['Timestamp', `at most ${MAX_SKEW_SECONDS} seconds from real time`],
  ['Nonce', '1 to 128 visible ASCII characters, remembered for 600 seconds', 'chosen'],
  ['Body', '1 MiB', 'chosen'],
  ['Search', 'at most 5 domains, on one page'],
  ['Lists', '1 to 100 rows a page, 25 by default; events 50', 'chosen'],
  ['Quote', '10 minutes of sandbox time'],
  ['Checkout session', '7 days of sandbox time'],
  ['Idempotency-Key', 'kept for 24 hours of sandbox time', 'chosen'],
  ['Webhook receiver', 'HTTP 200 within 5 seconds'],
];

export function Limits() {
  return (
    <TextSection
      id="limits"
      title="Limits"
      intro="Rate limits apply per credential, to any 60 seconds of real time. Rejected requests do not count. `Retry-After` gives the seconds until the next request passes. Change the limits of a sandbox with `--rate-limit CLASS=N` or `--no-rate-limits`, and clear the counters with `sandlot rate-limits reset`."
    >
      <Table
        caption="Rate limits"
        hideCaption
        headings={['Rate class', 'Requests per minute', 'Endpoints']}
        rows={Object.entries(SPECIFIED_RATE_LIMITS).map(([name, limit]) => [
          <>
            {name}
            {name === 'default' && <EmulatorChoice />}
          </>,
          limit,
          name === 'default' ? 'all others' : endpointsOf(name as RateClass),
        ])}
      />
      <Table
        caption="Other limits"
        hideCaption
        rows={OTHER_LIMITS.map(([what, value, chosen]) => [
          what,
          <>
            {value}
            {chosen && <EmulatorChoice />}
          </>,
        ])}
      />
    </TextSection>
  );
}

function endpointsOf(rateClass: RateClass): string {
  return ENDPOINTS.filter((endpoint) => endpoint.rateClass === rateClass)
    .map(({ method, path }) => `${method} ${templateOf(path).replace('/api/partner/v1', '')}`)
    .join(', ');
}

const FAULT_COMMANDS = `sandlot faults add --method POST --path /orders --code internal_error --first 3
sandlot faults add --method POST --path /orders --drop after --times 1
sandlot faults add --path "/domains/*" --delay 2s --probability 0.2
sandlot faults list
sandlot faults clear`;

export function Simulation() {
  return (
    <TextSection
      id="simulation"
      title="Magic domains and faults"
      intro="Both simulate rare situations, and neither exists in production. Magic domains work by their name, in SANDBOX. Faults are injected into the requests and webhooks that you select."
    >
      <Table
        caption="Magic domains"
        hideCaption
        headings={['Domain', 'Behavior']}
        rows={MAGIC_DOMAINS.map(({ domain, description }) => [<code>{domain}</code>, description])}
      />
      <Paragraph
        class="text"
        text="A fault matches requests by method, path, domain and key: all of them, or some by count or seeded probability. It returns an error, delays or truncates the response, or closes the connection before or after the commit. Faults of webhooks delay, duplicate, reorder or drop a delivery, or corrupt its signature. The request log shows each hit."
      />
      <Code label="Faults" text={FAULT_COMMANDS} />
    </TextSection>
  );
}
