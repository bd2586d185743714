import { z } from 'zod';
import { faultPageSchema, faultSchema, faultsClearedSchema } from '../faults/fault-schema.ts';
import {
  addFault,
  clearFaults,
  deleteFault as deleteOneFault,
  faultView,
  listFaults,
  requireFault,
} from '../faults/faults.ts';
import { validateFault } from '../faults/validate-fault.ts';
import { pageQuery } from '../http/fields.ts';
import { validationError } from '../kernel/errors.ts';
import { documented } from '../kernel/resource.ts';
import { controlEndpoint } from './endpoint.ts';
import { newFault } from './fault-input.ts';

const faultId = z.object({ fault_id: z.string() });

export const getFaults = controlEndpoint({
  name: 'getFaults',
  method: 'GET',
  path: '/faults',
  summary: 'List the faults of a world, in the order in which they are matched.',
  query: () => z.object(pageQuery()),
  status: 200,
  response: documented(faultPageSchema),
  read: ({ tx, query }) => {
    const { rows, next_cursor } = listFaults(tx, query);
    return { faults: rows.map(faultView), next_cursor };
  },
});

export const postFault = controlEndpoint({
  name: 'postFault',
  method: 'POST',
  path: '/faults',
  summary: 'Add a fault to requests of the partner API, or to webhook deliveries.',
  body: () => newFault(),
  status: 201,
  response: documented(faultSchema),
  write({ tx, context, body }) {
    const issue = validateFault(body, context.partnerEndpoints);
    if (issue) throw validationError(`${issue.path.join('.')}: ${issue.message}`);
    return faultView(addFault(tx, body));
  },
});

export const getFault = controlEndpoint({
  name: 'getFault',
  method: 'GET',
  path: '/faults/:fault_id',
  summary: 'Show a fault and how often it has hit.',
  params: () => faultId,
  status: 200,
  response: documented(faultSchema),
  read: ({ tx, params }) => faultView(requireFault(tx, params.fault_id)),
});

export const deleteFault = controlEndpoint({
  name: 'deleteFault',
  method: 'DELETE',
  path: '/faults/:fault_id',
  summary: 'Delete a fault.',
  params: () => faultId,
  status: 200,
  response: documented(faultSchema),
  write: ({ tx, params }) => faultView(deleteOneFault(tx, params.fault_id)),
});

export const deleteFaults = controlEndpoint({
  name: 'deleteFaults',
  method: 'DELETE',
  path: '/faults',
  summary: 'Delete every fault of a world.',
  status: 200,
  response: documented(faultsClearedSchema),
  write: ({ tx }) => ({ cleared: clearFaults(tx) }),
});
