import { ERROR_STATUS, type ErrorCode } from '../../kernel/errors.ts';
import { ERROR_MEANING } from '../../openapi/partner-texts.ts';
import { JsonCode } from '../code.tsx';
import { Inline } from '../prose.tsx';

/** Every code of the API, with an answer that a sandbox gave. */
export function Errors({ examples }: { examples: Record<string, unknown> }) {
  const rows = Object.entries(ERROR_STATUS).toSorted(([, a], [, b]) => a - b);
  const shown = [
    ...rows.map(([code, status]) => ({ code, status, says: ERROR_MEANING[code as ErrorCode] })),
    { code: 'validation_error', status: 413, says: 'The body is larger than 1 MiB.' },
  ];
  return (
    <section id="errors" class="stack" aria-labelledby="errors-title">
      <h2 id="errors-title">Errors</h2>
      <div class="two">
        <p class="text">
          <Inline text="Every error has this body. `code` is one of those below and nothing else; `message` is for people and may change. Checks are made in this order: body size, authentication headers, timestamp, key, signature, nonce, route, scope, affiliate or approval, rate limit, idempotency, validation, business rules. A request that fails before the nonce leaves no nonce behind." />
        </p>
        <JsonCode label="An error" value={examples.price_mismatch} />
      </div>
      <table>
        <caption class="unseen">Error codes</caption>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Code</th>
            <th scope="col">When</th>
            <th scope="col">A message</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ code, status, says }) => (
            <tr>
              <td>{status}</td>
              <th scope="row">
                <code>{code}</code>
              </th>
              <td>{says}</td>
              <td class="quiet">{messageOf(examples[status === 413 ? '413' : code])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function messageOf(example: unknown): string {
  return (example as { error?: { message?: string } } | undefined)?.error?.message ?? '';
}
