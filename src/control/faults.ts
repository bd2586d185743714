import { z } from 'zod';
import { clearedFaults, fault, faultPage } from '../faults/fault.ts';
import {
  addFault,
  clearFaults,
  deleteFault as deleteOneFault,
  listFaults,
  requireFault,
} from '../faults/faults.ts';
import { validateFault } from '../faults/validate-fault.ts';
import { pageQuery } from '../http/fields.ts';
import { validationError } from '../kernel/errors.ts';
import { controlEndpoint, controlEndpoints } from './endpoint.ts';
import { newFault } from './fault-input.ts';

const faultId = z.object({ fault_id: z.string() });

export const faultEndpoints = controlEndpoints({
  getFaults: controlEndpoint({
    method: 'GET',
    path: '/faults',
    summary: 'List the faults of a world, in the order in which they are matched.',
    query: () => z.object(pageQuery()),
    response: faultPage,
    read: ({ tx, query }) => listFaults(tx, query),
  }),

  postFault: controlEndpoint({
    method: 'POST',
    path: '/faults',
    summary: 'Add a fault to requests of the partner API, or to webhook deliveries.',
    body: () => newFault(),
    status: 201,
    response: fault,
    write({ tx, context, body }) {
      const issue = validateFault(body, context.partnerEndpoints);
      if (issue) throw validationError(`${issue.path.join('.')}: ${issue.message}`);
      return addFault(tx, body);
    },
  }),

  getFault: controlEndpoint({
    method: 'GET',
    path: '/faults/:fault_id',
    summary: 'Show a fault and how often it has hit.',
    params: () => faultId,
    response: fault,
    read: ({ tx, params }) => requireFault(tx, params.fault_id),
  }),

  deleteFault: controlEndpoint({
    method: 'DELETE',
    path: '/faults/:fault_id',
    summary: 'Delete a fault.',
    params: () => faultId,
    response: fault,
    write: ({ tx, params }) => deleteOneFault(tx, params.fault_id),
  }),

  deleteFaults: controlEndpoint({
    method: 'DELETE',
    path: '/faults',
    summary: 'Delete every fault of a world.',
    response: clearedFaults,
    write: ({ tx }) => ({ cleared: clearFaults(tx) }),
  }),
});
