import { callControl } from '../../control/call-control.ts';
import { ItemLink } from '../../dashboard/components.tsx';
import { Link, type PageContext, type ToolPages } from '../../dashboard/page.tsx';
import { CompareForm, Differences } from '../../dashboard/pages/request-comparison.tsx';
import { Section } from '../../ui/layout.tsx';
import { Badge, Mono, Text } from '../../ui/text.tsx';
import { storyEndpoints } from './endpoints.ts';
import { arrowOf, isBroken, type OrderStory, type OrderStoryStep } from './order-story.ts';
import { SCALE_STYLES, ScaleDrawing } from './scale-drawing.tsx';
import { Arrow, Initials, Lifelines, Mark } from './story-drawing.tsx';
import { STYLES } from './styles.ts';

const NAMES = {
  partner: 'Partner',
  operator: 'Operator',
  sandbox: 'sandlot',
  receiver: 'Receiver',
};

/** Renders the story of an order as a sequence diagram, which is a list for screen readers, or to scale. */
async function orderStorySection(page: PageContext, id: string) {
  if (page.query.with !== undefined) return comparisonSection(page, id, page.query.with.trim());
  const { steps, view } = page.query;
  const isAll = steps === 'all';
  const isToScale = view === 'scale';
  const story = await readStory(page, id, isAll);
  const isSummarized = story.steps.some(({ kind, count }) => kind !== 'clock' && count > 1);
  const stepsQuery = isAll ? { steps } : {};
  const scale = isToScale ? { view } : {};
  return (
    <Section
      title="Story"
      id="story"
      actions={
        <>
          {isAll && (
            <Link to={page.path} query={scale}>
              Summarize repetitions
            </Link>
          )}
          {!isAll && isSummarized && (
            <Link to={page.path} query={{ ...scale, steps: 'all' }}>
              Show every step
            </Link>
          )}
          {isToScale && (
            <Link to={`/orders/${id}/story.svg`} query={stepsQuery}>
              SVG file
            </Link>
          )}
          <Link to={page.path} query={isToScale ? stepsQuery : { ...stepsQuery, view: 'scale' }}>
            {isToScale ? 'As a sequence' : 'To scale'}
          </Link>
        </>
      }
    >
      <p>
        {story.summary}
        {story.waits_for !== null && ` Waits for ${story.waits_for}.`}
      </p>
      {isToScale ? (
        // biome-ignore lint/a11y: it scrolls, also by keyboard
        <div class="scaled" role="group" aria-label="Story to scale" tabindex={0}>
          <ScaleDrawing story={story} />
        </div>
      ) : (
        <Sequence story={story} />
      )}
      <CompareForm path={page.path} placeholder="ord_…" />
    </Section>
  );
}

function readStory(page: PageContext, id: string, showAll: boolean): Promise<OrderStory> {
  const query = showAll ? { steps: 'all' } : {};
  return callControl(storyEndpoints.getOrderStory, page, { params: { id }, query });
}

/** Renders the stories of two orders side by side, with their differences above. */
async function comparisonSection(page: PageContext, id: string, idB: string) {
  const comparison = await callControl(storyEndpoints.getOrderDiff, page, {
    params: { id },
    query: { with: idB },
  });
  const sides = [
    ['A', await readStory(page, id, false)],
    ['B', await readStory(page, idB, false)],
  ] as const;
  return (
    <Section
      title="Two stories"
      id="story"
      actions={<Link to={page.path}>Only the story of this order</Link>}
    >
      <p>
        A is <ItemLink id={id} />, B is <ItemLink id={idB} />.
      </p>
      <Differences compared={comparison} />
      <div class="sides two">
        {sides.map(([name, story]) => (
          <section aria-label={`Story ${name}`}>
            <h3>
              {name}: <Mono>{story.domain}</Mono> <span class="quiet">{story.status}</span>
            </h3>
            <Sequence story={story} />
          </section>
        ))}
      </div>
    </Section>
  );
}

function Sequence({ story }: { story: OrderStory }) {
  return (
    <div class="story">
      <Head story={story} />
      <ol>
        {story.steps.map((step, n) => (
          <Step step={step} n={n} before={story.steps[n - 1]} now={story.now} />
        ))}
      </ol>
    </div>
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
  const { kind, response, detail, tone } = step;
  const arrow = arrowOf(step);
  return (
    <li class={`${kind} ${tone}`} data-key={`${n} ${step.at} ${step.text}`}>
      <Lifelines />
      <Divider step={step} before={before} now={now} />
      <Time step={step} before={before} />
      <div class="call">
        {arrow && (
          <span class="unseen">
            {NAMES[arrow.from]} to {NAMES[arrow.to]}:{' '}
          </span>
        )}
        <Label step={step} />
      </div>
      {arrow ? <Arrow class="call" {...arrow} /> : <Mark kind={kind} />}
      {response !== null && (
        <div class="back">
          <span class="unseen">Response: </span>
          <Badge tone={tone}>{response}</Badge>
        </div>
      )}
      {response !== null && arrow && (
        <Arrow class="back" from={arrow.to} to={arrow.from} broken={isBroken(step)} />
      )}
      {detail !== null && (
        <p class="why">
          <Text>{detail}</Text>
        </p>
      )}
    </li>
  );
}

function Label({ step: { kind, actor, text, tone, href } }: { step: OrderStoryStep }) {
  const isAct = kind === 'action' || kind === 'clock';
  const isOfEvent = kind === 'attempt' || kind === 'pending' || kind === 'event';
  const [name = '', ...details] = isOfEvent ? text.split(', ') : [text];
  const plain = isOfEvent ? <Breakable text={name} /> : <Text>{name}</Text>;
  const label = kind === 'move' ? <Badge tone={tone}>{text}</Badge> : plain;
  const content = (
    <>
      {isAct && <span class="by">{NAMES[actor]} </span>}
      {label}
      {details.length > 0 && (
        <span class="sub">
          <span class="unseen">, </span>
          {details.join(', ')}
        </span>
      )}
    </>
  );
  return href === null ? (
    <span class="label">{content}</span>
  ) : (
    <a class="label" href={href}>
      {content}
    </a>
  );
}

/** Renders a text that may break after dots and underscores, for example the name of an event. */
function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[._])/).map((part, n) => (
    <>
      {n > 0 && <wbr />}
      <Text>{part}</Text>
    </>
  ));
}

/** Renders the time between two steps, and the current time before pending steps. */
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

export const storyPages: ToolPages = {
  styles: STYLES + SCALE_STYLES,
  sections: { '/dashboard/orders/:id': orderStorySection },
};
