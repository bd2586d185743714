import { callControl } from '../../control/call-control.ts';
import { Link, type PageContext } from '../../dashboard/page.tsx';
import { Section } from '../../ui/layout.tsx';
import { Badge, Mono, Text } from '../../ui/text.tsx';
import { storyEndpoints } from './endpoints.ts';
import type { OrderStory, OrderStoryStep } from './order-story.ts';
import { Arrow, Initials, Lifelines, Mark } from './story-drawing.tsx';

const NAMES = {
  partner: 'Partner',
  operator: 'Operator',
  sandbox: 'sandlot',
  receiver: 'Receiver',
};

/** Renders the story of an order as a sequence diagram; its list is the text of the drawing. */
export async function orderStorySection(page: PageContext, id: string) {
  const isAll = page.query.steps === 'all';
  const query = isAll ? { steps: 'all' } : {};
  const story = await callControl(storyEndpoints.getOrderStory, page, { params: { id }, query });
  const isSummarized = story.steps.some(({ kind, count }) => kind !== 'clock' && count > 1);
  return (
    <Section
      title="Story"
      id="story"
      actions={
        isAll ? (
          <Link to={page.path}>Summarize repetitions</Link>
        ) : (
          isSummarized && (
            <Link to={page.path} query={{ steps: 'all' }}>
              Show every step
            </Link>
          )
        )
      }
    >
      <p>
        {story.summary}
        {story.waits_for !== null && ` Waits for ${story.waits_for}.`}
      </p>
      <div class="story">
        <Head story={story} />
        <ol>
          {story.steps.map((step, n) => (
            <Step step={step} n={n} before={story.steps[n - 1]} now={story.now} />
          ))}
        </ol>
      </div>
    </Section>
  );
}

function Head({ story }: { story: OrderStory }) {
  const { partner, receiver_url } = story;
  return (
    <div class="actors">
      <Initials />
      <p class="partner">
        <span>Partner</span> <Text>{partner}</Text>
      </p>
      <p class="sandbox">
        <span>sandlot</span>
      </p>
      <p class="receiver">
        <span>Receiver</span>{' '}
        {receiver_url === null ? <span class="quiet">none</span> : <Mono>{receiver_url}</Mono>}
      </p>
    </div>
  );
}

interface StepProps {
  step: OrderStoryStep;
  n: number;
  before: OrderStoryStep | undefined;
  now: string;
}

function Step({ step, n, before, now }: StepProps) {
  const { kind, actor, to, response, detail, tone } = step;
  const isMessage = kind === 'request' || kind === 'attempt' || (kind === 'pending' && to !== null);
  return (
    <li class={`${kind} ${tone}`} data-key={`${n} ${step.at} ${step.text}`}>
      <Lifelines />
      <Divider step={step} before={before} now={now} />
      <Time step={step} before={before} />
      <div class="call">
        {isMessage && to !== null && (
          <span class="unseen">
            {NAMES[actor]} to {NAMES[to]}:{' '}
          </span>
        )}
        <Label step={step} />
      </div>
      {isMessage && to !== null ? (
        <Arrow class="call" from={actor} to={to} />
      ) : (
        <Mark kind={kind} />
      )}
      {response !== null && (
        <div class="back">
          <span class="unseen">Response: </span>
          <Badge tone={tone}>{response}</Badge>
        </div>
      )}
      {response !== null && isMessage && to !== null && (
        <Arrow class="back" from={to} to={actor} broken={isBroken(step)} />
      )}
      {detail !== null && (
        <p class="why">
          <Text>{detail}</Text>
        </p>
      )}
    </li>
  );
}

/** Whether nothing came back. */
function isBroken({ response }: OrderStoryStep): boolean {
  return response !== null && !/^\d/.test(response);
}

function Label({ step: { kind, actor, text, tone, href } }: { step: OrderStoryStep }) {
  const isAct = kind === 'action' || kind === 'clock';
  const isOfEvent = kind === 'attempt' || kind === 'pending' || kind === 'event';
  const [name = '', ...more] = isOfEvent ? text.split(', ') : [text];
  const plain = isOfEvent ? <Breakable text={name} /> : <Text>{name}</Text>;
  const label = kind === 'move' ? <Badge tone={tone}>{text}</Badge> : plain;
  const all = (
    <>
      {isAct && <span class="by">{NAMES[actor]} </span>}
      {label}
      {more.length > 0 && (
        <span class="sub">
          <span class="unseen">, </span>
          {more.join(', ')}
        </span>
      )}
    </>
  );
  return href === null ? (
    <span class="label">{all}</span>
  ) : (
    <a class="label" href={href}>
      {all}
    </a>
  );
}

/** Renders a text that may break after each dot and underscore, as the names of events do. */
function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[._])/).map((part, n) => (
    <>
      {n > 0 && <wbr />}
      <Text>{part}</Text>
    </>
  ));
}

/** Renders the time between two steps, and where the present begins. */
function Divider({ step, before, now }: Omit<StepProps, 'n'>) {
  if (step.kind === 'pending' && before?.kind !== 'pending') {
    return (
      <p class="gap now">
        <span>Now, {now.slice(11, 19)}</span>
      </p>
    );
  }
  if (step.after === null) return null;
  return (
    <p class="gap">
      <span>{step.after}</span>
    </p>
  );
}

function Time({ step: { at }, before }: Pick<StepProps, 'step' | 'before'>) {
  const isNewDay = before?.at.slice(0, 10) !== at.slice(0, 10);
  const ms = at.endsWith('.000Z') ? 19 : 23;
  return (
    <time datetime={at} title={at} class={before?.at === at ? 'same' : undefined}>
      {isNewDay && <span class="day">{at.slice(0, 10)} </span>}
      {at.slice(11, ms)}
    </time>
  );
}
