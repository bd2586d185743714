import { InEveryLanguage, JsonCode } from '../code.tsx';
import type { Document } from '../document.ts';
import { MemberTable } from '../member-table.tsx';
import { membersOf } from '../members.ts';
import { Inline, Prose } from '../prose.tsx';
import { snippet } from '../snippets.ts';

/** What is delivered, and how a receiver knows that it is genuine. */
export function Webhooks({ document }: { document: Document }) {
  const webhooks = Object.entries(document.webhooks ?? {});
  const [about] = webhooks.map(([, { post }]) => post.description ?? '');
  return (
    <section id="webhooks" aria-labelledby="webhooks-title">
      <div class="two">
        <div class="head stack text">
          <h2 id="webhooks-title">Webhooks</h2>
          <Prose text={about ?? ''} />
          <p>
            <Inline text="`X-Service-Signature` is the lower-case hex HMAC-SHA256 of the raw body, keyed with the secret of the registration: no canonical string, no `v1=`. Compare in constant time, before anything parses the body." />
          </p>
          <p>
            Register with <a href="#putWebhook">PUT /webhooks</a>; catch up after downtime with{' '}
            <a href="#getEvents">GET /events</a>.
          </p>
          <p>
            <Inline text="Attempts are made at once, then after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h and 6 h of sandbox time; `sandlot clock next` goes straight to the next one. Try a receiver with `sandlot webhooks fire TYPE --url URL --secret SECRET`, or let `sandlot webhooks listen --register` be one." />
          </p>
        </div>
        <div class="stack">
          <InEveryLanguage
            fileOf={({ webhookFile }) => webhookFile}
            textOf={({ webhookFile }) => snippet(webhookFile)}
          />
        </div>
      </div>
      {webhooks.map(([type, { post }]) => {
        const content = post.requestBody?.content['application/json'];
        const [example] = Object.values(content?.examples ?? {});
        const signature = post.parameters?.[0]?.example;
        return (
          <section class="operation" id={`on-${type}`} aria-labelledby={`on-${type}-title`}>
            <div class="explained stack">
              <h3 id={`on-${type}-title`}>
                <a class="anchor" href={`#on-${type}`}>
                  <span class="path">{type}</span>
                </a>
              </h3>
              <p class="summary">{post.summary}</p>
              {content && (
                <MemberTable
                  caption="Body"
                  members={membersOf(document, content.schema)}
                  answered
                />
              )}
            </div>
            <div class="shown stack">
              {example && <JsonCode label="Delivered" value={example.value} />}
              {signature !== undefined && (
                <p class="small quiet">
                  With the secret <code>whsec_example</code> and this body in one line:{' '}
                  <code>{String(signature)}</code>
                </p>
              )}
            </div>
          </section>
        );
      })}
    </section>
  );
}
