import { MISTAKES } from '../../signing/diagnosis.ts';
import { Inline } from '../prose.tsx';

/** Every mistake that a refused signature can be put down to. */
export function Mistakes() {
  return (
    <section id="mistakes" class="stack" aria-labelledby="mistakes-title">
      <h2 id="mistakes-title">Signing mistakes</h2>
      <p class="text">
        <Inline text="A 401 `invalid_signature` names one of these when making the same mistake gives the very signature that came, and otherwise names none: it is never a guess. The request log (`sandlot requests show`) puts what was signed beside what should have been." />
      </p>
      <table>
        <caption class="unseen">Signing mistakes</caption>
        <thead>
          <tr>
            <th scope="col">Mistake</th>
            <th scope="col">What to do</th>
          </tr>
        </thead>
        <tbody>
          {MISTAKES.map(({ slug, summary, fix }) => (
            <tr id={`mistake-${slug}`}>
              <th scope="row">
                {summary}
                <br />
                <code class="quiet">{slug}</code>
              </th>
              <td>{fix}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
