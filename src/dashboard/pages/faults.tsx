import { faultEndpoints } from '../../control/faults.ts';
import { describeMatch, fault } from '../../faults/fault.ts';
import { REQUEST_EFFECTS, WEBHOOK_EFFECTS } from '../../faults/fault-effects.ts';
import { filtersOf, OCCURRENCES } from '../../faults/fault-matchers.ts';
import { Mono } from '../../ui/text.tsx';
import { ActionButton } from '../actions.tsx';
import { Link } from '../page.tsx';
import { resourcePages } from '../resource-pages.tsx';
import { EndpointForm } from '../schema-fields.tsx';

export const faults = resourcePages({
  title: 'Faults',
  singular: 'fault',
  lead: 'Faults in partner API requests and webhooks. They are matched in this order, and only the first that acts is injected.',
  live: ['faults'],
  list: faultEndpoints.getFaults,
  item: fault,
  columns: ['effect', 'hits'],
  main: (row) => (
    <>
      <Mono>{describeMatch(row)}</Mono>
      <span class="id">{row.fault_id}</span>
    </>
  ),
  header: ({ world }) => (
    <ActionButton call="DELETE /faults" confirm={`Delete all faults of world ${world.name}?`}>
      Delete all
    </ActionButton>
  ),
  forms: () => (
    <>
      <EndpointForm
        endpoint={faultEndpoints.postFault}
        title="Add a request fault"
        fields={[
          ...namesIn('match', filtersOf('request')),
          ...namesIn('effect', REQUEST_EFFECTS),
          ...namesIn('match', OCCURRENCES),
          'times',
        ]}
      />
      <EndpointForm
        endpoint={faultEndpoints.postFault}
        title="Add a webhook fault"
        fields={[
          ...namesIn('match', filtersOf('webhook')),
          ...namesIn('webhook', WEBHOOK_EFFECTS),
          ...namesIn('match', OCCURRENCES),
          'times',
        ]}
      />
    </>
  ),
  actions: ({ fault_id: id }) => (
    <>
      <Link to="/dashboard/requests" query={{ text: id }}>
        Requests<span class="unseen"> of {id}</span>
      </Link>
      <ActionButton call={`DELETE /faults/${id}`} about={id}>
        Delete
      </ActionButton>
    </>
  ),
  hint: 'Add one above, or from a terminal.',
  create: ['faults add --method POST --path /orders --code internal_error --first 3'],
});

function namesIn(object: string, fields: object): string[] {
  return Object.keys(fields).map((name) => `${object}.${name}`);
}
