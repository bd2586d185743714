import { JsonCode, Paragraph, Prose } from '../components.tsx';
import type { Document, Operation } from '../document.ts';
import { FieldTable, fieldsOf } from '../fields.tsx';
import { WebhookVerifiers } from '../snippets.tsx';

export function Webhooks({ document }: { document: Document }) {
  const webhooks = Object.entries(document.webhooks ?? {});
  const [description] = webhooks.map(([, { post }]) => post.description ?? '');
  return (
    <section id="webhooks" aria-labelledby="webhooks-title">
      <div class="two">
        <div class="head stack text">
          <h2 id="webhooks-title">Webhooks</h2>
          <Prose text={description ?? ''} />
          <Paragraph text="`X-Service-Signature` is the lowercase hex HMAC-SHA256 of the raw body, with the secret of the registration as its key. It has no canonical string and no `v1=`. Compare in constant time, before you parse the body." />
          <p>
            Register with <a href="#putWebhook">PUT /webhooks</a>. Catch up after downtime with{' '}
            <a href="#getEvents">GET /events</a>.
          </p>
          <Paragraph text="The first attempt is immediate. Retries follow after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h and 6 h of sandbox time; `sandlot clock next` advances to the next one. Test a receiver with `sandlot webhooks fire TYPE --url URL --secret SECRET`, or start one with `sandlot webhooks listen --register`." />
        </div>
        <div class="stack">
          <WebhookVerifiers />
        </div>
      </div>
      {webhooks.map(([type, { post }]) => (
        <Webhook type={type} operation={post} />
      ))}
    </section>
  );
}

function Webhook({ type, operation }: { type: string; operation: Operation }) {
  const content = operation.requestBody?.content['application/json'];
  const [example] = Object.values(content?.examples ?? {});
  const signature = operation.parameters?.[0]?.example;
  return (
    <section class="operation" id={`on-${type}`} aria-labelledby={`on-${type}-title`}>
      <div class="explained stack">
        <h3 id={`on-${type}-title`}>
          <a class="anchor" href={`#on-${type}`}>
            <span class="path">{type}</span>
          </a>
        </h3>
        <p class="summary">{operation.summary}</p>
        {content && <FieldTable caption="Body" fields={fieldsOf(content.schema)} inResponse />}
      </div>
      <div class="shown stack">
        {example && <JsonCode label="Delivered" value={example.value} />}
        {signature !== undefined && (
          <p class="small quiet">
            Signature with the secret <code>whsec_example</code> and this body on one line:{' '}
            <code>{String(signature)}</code>
          </p>
        )}
      </div>
    </section>
  );
}
