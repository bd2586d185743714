import { ask } from '../../control/call-control.ts';
import { getRequest } from '../../control/requests.ts';
import { describeOutcome, describeSteps } from '../../requests/describe.ts';
import { reSignProblem } from '../../requests/re-sign.ts';
import type { RequestDetail } from '../../requests/views.ts';
import { Badge, toneOfStatus } from '../parts/badge.tsx';
import { CopyAnswer } from '../parts/copy.tsx';
import { Facts, Head, Section } from '../parts/section.tsx';
import { Block, Mono, Text } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { type Place, segment, to } from '../place.ts';
import { plainLine } from '../plain.ts';
import type { View } from '../reply.tsx';
import { CanonicalStrings } from './canonical-strings.tsx';

/** One request: what came, every check with its verdict, what was answered. */
export async function requestPage(at: Place, id: string): Promise<View> {
  const shown = await ask<RequestDetail>(getRequest, at, { params: { id } });
  const route = `/requests/${segment(id)}`;
  return {
    title: `${plainLine(shown.method)} ${plainLine(shown.target)}`,
    content: (
      <>
        <p class="crumbs">
          <a href={to(at, '/dashboard/requests')}>Requests</a>
        </p>
        <Head
          title={
            <>
              <b class="method">{plainLine(shown.method)}</b> <Mono>{shown.target}</Mono>
            </>
          }
          acts={
            <>
              <CopyAnswer
                from={to(at, `${route}/markdown`)}
                member="markdown"
                label="Copy as Markdown"
              />
              {reSignProblem(shown) === undefined && (
                <CopyAnswer from={to(at, `${route}/curl`)} member="curl" label="Copy as curl" />
              )}
            </>
          }
        />
        <Outcome shown={shown} />
        <Trace shown={shown} />
        <CanonicalStrings shown={shown} />
        <Message id="sent" title="Request" message={shown.request} />
        <Message id="answered" title="Response" message={shown.response} />
      </>
    ),
  };
}

function Outcome({ shown }: { shown: RequestDetail }) {
  const cause = shown.trace.find(({ result }) => result === 'failed')?.detail ?? {};
  const { summary, fix } = cause;
  const diagnosed = typeof summary === 'string' && typeof fix === 'string';
  return (
    <section class="card" aria-label="Outcome">
      <p class="outcome">
        <Badge tone={toneOfStatus(shown.status)}>{describeOutcome(shown)}</Badge>
      </p>
      {diagnosed ? (
        <div class="verdict">
          <p>
            <strong>
              <Text>{summary}</Text>
            </strong>
          </p>
          <p>
            <Text>{fix}</Text>
          </p>
        </div>
      ) : (
        shown.message !== null && (
          <p class="verdict">
            <Text>{shown.message}</Text>
          </p>
        )
      )}
      <Facts
        facts={[
          ['Request', <Mono>{shown.request_id}</Mono>],
          ['Received', <When at={shown.received_at} ms />],
          ['Sandbox time', <When at={shown.at} ms />],
          ['Took', `${shown.duration_ms} ms`],
          ['Key', shown.key_id && <Mono>{shown.key_id}</Mono>],
          ['Partner', shown.partner_id && `${shown.partner_id}, ${shown.environment}`],
        ]}
      />
      {shown.warnings.length > 0 && (
        <div class="warnings">
          <h2>Warnings</h2>
          <ul>
            {shown.warnings.map((warning) => (
              <li>
                <Text>{warning}</Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

const MARKS = { passed: '✓', failed: '✗', done: '→' };

function Trace({ shown }: { shown: RequestDetail }) {
  return (
    <Section title="How it was decided" id="trace">
      <ol class="trace">
        {describeSteps(shown).map(({ check, result, text }) => (
          <li class={result}>
            <span class="mark" aria-hidden="true">
              {MARKS[result]}
            </span>
            <span class="step">{check.replaceAll('_', ' ')}</span>
            <span class="unseen">{result}:</span>
            <span class="says">
              <Text>{text}</Text>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

interface Sent {
  headers: readonly (readonly [string, string])[];
  body: string | null;
  bytes: number;
  encoding: string;
  altered: 'truncated' | 'redacted' | null;
}

const ALTERED = { truncated: 'only its beginning is kept', redacted: 'secrets in it are left out' };

function Message({ id, title, message }: { id: string; title: string; message: Sent }) {
  const { headers, body, bytes, encoding, altered } = message;
  const about = [
    `${bytes} bytes`,
    ...(encoding === 'base64' ? ['no text, shown as base64'] : []),
    ...(altered === null ? [] : [ALTERED[altered]]),
  ];
  return (
    <Section title={title} id={id}>
      {headers.length > 0 && (
        <dl class="headers">
          {headers.map(([name, value]) => (
            <div>
              <dt>
                <Mono>{name}</Mono>
              </dt>
              <dd>
                <Mono>{value}</Mono>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {body === null ? (
        <p class="quiet">No body.</p>
      ) : (
        <>
          <p class="quiet small">{about.join(', ')}</p>
          <Block text={body} label={`Body of the ${title.toLowerCase()}`} />
        </>
      )}
    </Section>
  );
}
