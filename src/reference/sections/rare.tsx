import { MAGIC_DOMAINS } from '../../market/inventory/magic-domains.ts';
import { Code } from '../code.tsx';
import { Inline } from '../prose.tsx';

const FAULTS = `sandlot faults add --method POST --path /orders --code internal_error --first 3
sandlot faults add --method POST --path /orders --drop after --times 1
sandlot faults add --path "/domains/*" --delay 2s --probability 0.2
sandlot faults list
sandlot faults clear`;

/** How rare answers are had on demand. */
export function Rare() {
  return (
    <section id="rare" class="stack" aria-labelledby="rare-title">
      <h2 id="rare-title">Magic domains and faults</h2>
      <p class="text">
        <Inline text="Two ways to an answer that is rare in production. Magic domains need nothing but their name, in SANDBOX; faults are injected into the requests and webhooks that you select. The real service knows neither." />
      </p>
      <table>
        <caption class="unseen">Magic domains</caption>
        <thead>
          <tr>
            <th scope="col">Domain</th>
            <th scope="col">What it does</th>
          </tr>
        </thead>
        <tbody>
          {MAGIC_DOMAINS.map(({ domain, description }) => (
            <tr>
              <th scope="row">
                <code>{domain}</code>
              </th>
              <td>{description}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="text">
        <Inline text="A fault matches requests by method, path, domain and key, all of them or some by count or seeded probability, and returns an error of the API, delays the response, closes the connection before or after the commit, or truncates the response. Webhooks can be delayed, duplicated, reordered, dropped and signed wrongly. The request log shows each hit." />
      </p>
      <Code label="Faults" text={FAULTS} />
    </section>
  );
}
