import { ENDPOINTS } from '../../api/index.ts';
import { SPECIFIED_RATE_LIMITS } from '../../http/pipeline/rate-limit.ts';
import { templateOf } from '../../openapi/operation.ts';
import { MAX_SKEW_SECONDS } from '../../signing/signature.ts';
import type { RateClass } from '../../store/schema/enums.ts';
import { Choice } from '../choice.tsx';
import { Inline } from '../prose.tsx';

interface Limit {
  what: string;
  value: string;
  /** The specification has none. */
  chosen?: boolean;
}

const OTHERS: readonly Limit[] = [
  { what: 'Timestamp', value: `${MAX_SKEW_SECONDS} seconds off, either way, of the real time` },
  {
    what: 'Nonce',
    value: '1 to 128 visible ASCII characters, tracked for 600 seconds',
    chosen: true,
  },
  { what: 'Body', value: '1 MiB', chosen: true },
  { what: 'Search', value: 'at most 5 domains, no further page' },
  { what: 'Lists', value: '1 to 100 rows a page, 25 unless asked; events 50', chosen: true },
  { what: 'Quote', value: '10 minutes of sandbox time' },
  { what: 'Checkout session', value: '7 days of sandbox time' },
  { what: 'Idempotency-Key', value: 'kept 24 hours of sandbox time', chosen: true },
  { what: 'Webhook receiver', value: 'HTTP 200 within 5 seconds' },
];

/** Rate classes and the other limits. */
export function Limits() {
  return (
    <section id="limits" class="stack" aria-labelledby="limits-title">
      <h2 id="limits-title">Limits</h2>
      <p class="text">
        <Inline text="Counted per credential over any 60 seconds of real time. What is refused is not counted, and `Retry-After` says after how many seconds the next request passes. `--rate-limit CLASS=N` and `--no-rate-limits` change them for a sandbox, `sandlot rate-limits reset` forgets what was counted." />
      </p>
      <table>
        <caption class="unseen">Rate limits</caption>
        <thead>
          <tr>
            <th scope="col">Rate class</th>
            <th scope="col">Requests a minute</th>
            <th scope="col">Endpoints</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(SPECIFIED_RATE_LIMITS).map(([name, limit]) => (
            <tr>
              <th scope="row">
                {name}
                {name === 'default' && <Choice />}
              </th>
              <td>{limit}</td>
              <td>{name === 'default' ? 'every other' : endpointsOf(name as RateClass)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <table>
        <caption class="unseen">Other limits</caption>
        <tbody>
          {OTHERS.map(({ what, value, chosen }) => (
            <tr>
              <th scope="row">{what}</th>
              <td>
                {value}
                {chosen && <Choice />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function endpointsOf(rateClass: RateClass): string {
  return ENDPOINTS.filter((each) => each.rateClass === rateClass)
    .map(({ method, path }) => `${method} ${templateOf(path).replace('/api/partner/v1', '')}`)
    .join(', ');
}
