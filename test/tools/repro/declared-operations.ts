import { ENDPOINTS } from '../../../src/api/index.ts';
import { REQUEST_EFFECTS, WEBHOOK_EFFECTS } from '../../../src/faults/fault-effects.ts';
import { hostedPages, type PagesOptions } from '../../../src/pages/index.ts';
import { bytesOf, type RequestRecord } from '../../../src/tools/repro/format.ts';
import { CONTROL_ENDPOINTS } from '../../support/control-endpoints.ts';

interface Route {
  api: RequestRecord['api'];
  method: string;
  path: string;
}

/** Everything that a recording can have as a request, in the order in which paths match. */
const ROUTES: readonly Route[] = [
  ...ENDPOINTS.map(({ method, path }): Route => ({ api: 'partner', method, path })),
  ...CONTROL_ENDPOINTS.filter(
    ({ method, logged, entersWorld }) =>
      method !== 'GET' && logged !== false && entersWorld !== false,
  ).map(({ method, path }): Route => ({ api: 'control', method, path: `/_sandbox${path}` })),
  ...hostedPages({} as PagesOptions)
    .routes.filter(
      ({ method, path }) => method !== 'ALL' && /^\/(checkout|r|l|brokerage)\b/.test(path),
    )
    .map(({ method, path }): Route => ({ api: 'page', method, path })),
];

const nameOf = ({ api, method, path }: Route) => `${api} ${method} ${path}`;

/** Names of all requests and fault effects that a replay must repeat. */
export const DECLARED: readonly string[] = [
  ...ROUTES.map(nameOf),
  ...Object.keys(REQUEST_EFFECTS).map((name) => `effect ${name}`),
  ...Object.keys(WEBHOOK_EFFECTS).map((name) => `webhook ${name}`),
];

/** Names what a request asks for. */
export function declaredIn({ api, method, target, body }: RequestRecord): string[] {
  const path = target.split('?')[0] ?? '';
  const route = ROUTES.find(
    (each) => each.api === api && each.method === method && pattern(each.path).test(path),
  );
  if (!route) return [];
  if (nameOf(route) !== 'control POST /_sandbox/faults') return [nameOf(route)];
  const { effect = {}, webhook = {} } = JSON.parse(bytesOf(body).toString());
  return [
    nameOf(route),
    ...Object.keys(effect).map((name) => `effect ${name}`),
    ...Object.keys(webhook).map((name) => `webhook ${name}`),
  ];
}

/** Whether it was not rejected. */
export function isDone({ response }: RequestRecord): boolean {
  return response !== undefined && ('closed' in response || response.status < 400);
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
}
