import { callControl } from '../../control/call-control.ts';
import type { PageContext, ToolPages } from '../../dashboard/page.tsx';
import { Section } from '../../ui/layout.tsx';
import { Badge, Mono, Text } from '../../ui/text.tsx';
import { storyEndpoints } from './endpoints.ts';
import { arrowOf, type OrderStory, type OrderStoryStep, statusIn } from './order-story.ts';
import { Arrow, Lifelines } from './story-drawing.tsx';
import { STYLES } from './styles.ts';

const NAMES = {
  partner: 'Partner',
  operator: 'Operator',
  sandbox: 'sandlot',
  receiver: 'Receiver',
};

/** Renders the story of an order as a sequence diagram, which is a list for screen readers. */
async function orderStorySection(page: PageContext, id: string) {
  const story = await callControl(storyEndpoints.getOrderStory, page, { params: { id } });
  return (
    <Section title="Story" id="story">
      <div class="story">
        <Head story={story} />
        <ol>
          {story.steps.map((step, index) => (
            <Step step={step} previous={story.steps[index - 1]} />
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
  previous: OrderStoryStep | undefined;
}

function Step({ step, previous }: StepProps) {
  const { kind, response, detail, tone } = step;
  const arrow = arrowOf(step);
  return (
    <li class={`${kind} ${tone}`}>
      <Lifelines />
      {step.after !== null && (
        <p class="gap">
          <span>{step.after}</span>
        </p>
      )}
      <Time step={step} previous={previous} />
      <div class="call">
        {arrow && (
          <span class="visually-hidden">
            {NAMES[arrow.from]} to {NAMES[arrow.to]}:{' '}
          </span>
        )}
        <Label step={step} />
      </div>
      {arrow && <Arrow leg="call" {...arrow} />}
      {response !== null && (
        <div class="back">
          <span class="visually-hidden">Response: </span>
          <Badge tone={tone}>{response}</Badge>
        </div>
      )}
      {response !== null && arrow && (
        <Arrow leg="back" from={arrow.to} to={arrow.from} broken={!statusIn(response)} />
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
  const isByOperator = kind === 'action' || kind === 'clock';
  const content = (
    <>
      {isByOperator && <span class="by">{NAMES[actor]} </span>}
      {kind === 'move' ? <Badge tone={tone}>{text}</Badge> : <Text>{text}</Text>}
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

function Time({ step: { at }, previous }: StepProps) {
  const [day] = at.split('T');
  return (
    <time datetime={at} title={at} class={previous?.at === at ? 'same' : undefined}>
      {previous?.at.split('T')[0] !== day && <span class="day">{day} </span>}
      {at.slice(11, -1).replace(/\.000$/, '')}
    </time>
  );
}

export const storyPages: ToolPages = {
  styles: STYLES,
  sections: { '/dashboard/orders/:id': orderStorySection },
};
