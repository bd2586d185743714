import { TRANSITIONS } from '../../market/orders/order-actions.ts';
import { Inline } from '../prose.tsx';

/** The state machine of an order. */
export function States() {
  return (
    <section id="states" class="stack" aria-labelledby="states-title">
      <h2 id="states-title">Order states</h2>
      <p class="text">
        <Inline text="Nothing else moves an order. Here `sandlot orders advance` takes the marketplace's steps, and a settlement run settles what is completed. A refunded or cancelled order's domain is listed again." />
      </p>
      <table>
        <caption class="unseen">Order states</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">Action</th>
            <th scope="col">To</th>
            <th scope="col">Event</th>
          </tr>
        </thead>
        <tbody>
          {TRANSITIONS.map(({ from, action, to, event }) => (
            <tr>
              <td>{from ? <code>{from}</code> : 'none'}</td>
              <td>{action}</td>
              <td>
                <code>{to}</code>
              </td>
              <td>{event ? <a href={`#on-${event}`}>{event}</a> : 'none'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
