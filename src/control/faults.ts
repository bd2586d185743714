import { z } from 'zod';
import { clearedFaults, fault, faultPage } from '../faults/fault.ts';
import { addFault, clearFaults, deleteFault, listFaults } from '../faults/faults.ts';
import { validateFault } from '../faults/validate-fault.ts';
import { pageQuery } from '../http/fields.ts';
import { validationError } from '../kernel/errors.ts';
import { del, get, named, post } from './endpoint.ts';
import { faultFields } from './fault-input.ts';

export const faultEndpoints = named({
  getFaults: get('/faults', {
    summary: 'List the faults of a world, in the order in which they are matched.',
    description: 'Only the first fault that acts on a request or delivery is injected.',
    query: () => z.object(pageQuery()),
    response: faultPage,
    read: ({ tx, query }) => listFaults(tx, query),
  }),

  postFault: post('/faults', {
    summary: 'Add a fault to requests of the partner API, or to webhook deliveries.',
    description: '400 `validation_error` for a fault that cannot match or has no effect.',
    body: () => z.strictObject(faultFields()),
    status: 201,
    response: fault,
    write({ tx, context, body }) {
      const issue = validateFault(body, context.partnerEndpoints);
      if (issue) throw validationError(`${issue.path.join('.')}: ${issue.message}`);
      return addFault(tx, body);
    },
  }),

  deleteFault: del('/faults/:fault_id', {
    summary: 'Delete a fault.',
    description: 'Deliveries that it has delayed are not sent earlier.',
    response: fault,
    write: ({ tx, params }) => deleteFault(tx, params.fault_id),
  }),

  deleteFaults: del('/faults', {
    summary: 'Delete every fault of a world.',
    description: 'Also those of the configuration file, until the next start or reset.',
    response: clearedFaults,
    write: ({ tx }) => ({ cleared: clearFaults(tx) }),
  }),
});
