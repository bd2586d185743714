import { z } from 'zod';
import { faultPageSchema, faultSchema, faultsClearedSchema } from '../faults/fault-schema.ts';
import { findProblem } from '../faults/find-problem.ts';
import {
  addFault,
  clearFaults,
  faultView,
  listFaults,
  removeFault,
  requireFault,
} from '../faults/keep-faults.ts';
import { pageQuery } from '../http/fields.ts';
import { validationError } from '../kernel/errors.ts';
import { controlEndpoint } from './endpoint.ts';
import { newFault } from './fault-fields.ts';

const faultId = z.object({ fault_id: z.string() });

export const getFaults = controlEndpoint({
  name: 'getFaults',
  method: 'GET',
  path: '/faults',
  summary: 'The fault rules of a world, in the order in which they are asked.',
  query: z.object(pageQuery()),
  status: 200,
  answer: faultPageSchema,
  handle: ({ world, query }) =>
    world.peek((tx) => {
      const { rows, next_cursor } = listFaults(tx, query);
      return { faults: rows.map(faultView), next_cursor };
    }),
});

export const postFault = controlEndpoint({
  name: 'postFault',
  method: 'POST',
  path: '/faults',
  summary: 'Makes calls of the partner API, or webhook deliveries, go wrong from now on.',
  body: newFault(),
  status: 201,
  answer: faultSchema,
  handle({ world, machinery, body }) {
    const problem = findProblem(body, machinery.partnerEndpoints);
    if (problem) throw validationError(`${problem.path.join('.')}: ${problem.message}`);
    return world.transact((tx) => faultView(addFault(tx, body)));
  },
});

export const getFault = controlEndpoint({
  name: 'getFault',
  method: 'GET',
  path: '/faults/:fault_id',
  summary: 'One fault rule, and how often it has hit.',
  params: faultId,
  status: 200,
  answer: faultSchema,
  handle: ({ world, params }) => world.peek((tx) => faultView(requireFault(tx, params.fault_id))),
});

export const deleteFault = controlEndpoint({
  name: 'deleteFault',
  method: 'DELETE',
  path: '/faults/:fault_id',
  summary: 'Takes a fault rule away.',
  params: faultId,
  status: 200,
  answer: faultSchema,
  handle: ({ world, params }) =>
    world.transact((tx) => faultView(removeFault(tx, params.fault_id))),
});

export const deleteFaults = controlEndpoint({
  name: 'deleteFaults',
  method: 'DELETE',
  path: '/faults',
  summary: 'Takes every fault rule of a world away.',
  status: 200,
  answer: faultsClearedSchema,
  handle: ({ world }) => world.transact((tx) => ({ cleared: clearFaults(tx) })),
});
