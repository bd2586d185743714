import { ActionButton, ActionForm } from '../../dashboard/actions.tsx';
import { ItemLink } from '../../dashboard/components.tsx';
import { type Bar, type PageContext, type ToolPages, urlFor } from '../../dashboard/page.tsx';
import { countOf } from '../../kernel/count.ts';
import { Text } from '../../ui/text.tsx';
import { OPENED_REPROS } from './opened-repro.ts';
import { describeFields } from './world-objects.ts';

/** Renders a button and the dialog that it opens. @param selection selects the inputs; the newest recording if empty */
function downloadRepro(page: PageContext, selection: { request?: string; order?: string }) {
  return (
    <>
      <button type="button" class="plain scripted" data-dialog="repro">
        Download repro
      </button>
      <dialog
        id="repro"
        aria-labelledby="repro-title"
        data-action={urlFor(page, '/repro/export')}
        data-selection={JSON.stringify(selection)}
        data-keep
      >
        <form method="dialog">
          <h2 id="repro-title">Download repro</h2>
          <p class="quiet">
            A file with which anyone can replay what happened, offline. Secrets are never in it.
          </p>
          <p role="status" data-status />
          <dl class="list" data-summary />
          <p class="problem" role="alert" data-problem hidden />
          <label class="check">
            <input type="checkbox" id="repro-personal" /> Keep personal data
          </label>
          <p class="row end">
            <button type="submit" class="plain">
              Close
            </button>
            <button type="button" data-save hidden>
              Save
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}

const STEP = 'POST /repro/step';
const ORDER_PAGE = /^\/dashboard\/orders\/([^/]+)$/;

/**
 * Renders the bar of a sandbox that a file opened. A page with `?at=N` steps to act N. If that would discard manual acts, it
 * only fills in the form (`?act=N`), because other web pages can link to it.
 */
async function stepBar(page: PageContext): Promise<Bar | undefined> {
  const openedRepro = OPENED_REPROS.get(page.context.worlds);
  if (!openedRepro) return undefined;
  const { at: targetAct, act, ...query } = page.query;
  const { manualActs } = openedRepro;
  const [, order] = ORDER_PAGE.exec(page.path) ?? [];
  if (targetAct !== undefined) {
    if (manualActs === 0) await openedRepro.step({ to: targetAct });
    // A page that is refreshed must not step again.
    const newQuery = manualActs === 0 ? query : { ...query, act: targetAct };
    return { goTo: urlFor(page, page.path, newQuery) };
  }
  const { at, last, input, discarded, difference } = openedRepro.state;
  const content = (
    <div class="steps">
      <p>
        <strong>
          Act {at} of {last}
        </strong>{' '}
        <Text>{input ? `${input.text} ${input.result}` : 'Before the first act'}</Text>
      </p>
      <div class="row">
        <ActionButton call={STEP} send={{ by: -1 }} done="Stepped back" disabled={at === 0}>
          Previous
        </ActionButton>
        <ActionButton call={STEP} send={{ by: 1 }} done="Stepped forth" disabled={at === last}>
          Next
        </ActionButton>
        {order !== undefined && (
          <ActionButton call={STEP} send={{ order }} done="Stepped to the next change">
            Next change of this order
          </ActionButton>
        )}
        <ActionForm call={STEP} done="Stepped" label="Step to an act">
          <label for="step-to">Act</label>{' '}
          <input id="step-to" name="to" inputmode="numeric" required value={act} />{' '}
          <button type="submit" class="plain">
            Go
          </button>
        </ActionForm>
        <a href={urlFor(page, page.path, { ...query, at: String(at) })}>Link to act {at}</a>
      </div>
      {manualActs > 0 && <p>{countOf(manualActs, 'act')} by hand, which a step discards.</p>}
      {discarded > 0 && <p>The last step discarded {countOf(discarded, 'act')} by hand.</p>}
      <details>
        <summary>
          {difference.length === 0
            ? 'No change'
            : `${countOf(difference.length, 'change')} by this act`}
        </summary>
        <ul>
          {difference.map((change) => (
            <li>
              {change.change} {change.type} <ItemLink id={change.id} />{' '}
              <Text>{describeFields(change)}</Text>
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
  return { content };
}

const STYLES = `
.steps { order: 4; flex: 1 1 100%; padding: 0.6rem 0.9rem; border: 1px solid var(--edge); border-radius: 10px; background: var(--well); overflow-wrap: anywhere; }
.steps > * + * { margin-top: 0.4rem; }
.steps input { width: 5rem; }
.steps button:disabled { opacity: 0.5; cursor: default; }
.steps summary { width: fit-content; min-height: 1.6rem; cursor: pointer; }
.steps li { padding-block: 0.15rem; font-size: 0.875rem; }
`;

export const reproPages: ToolPages = {
  script: 'repro',
  styles: STYLES,
  bar: stepBar,
  actions: {
    '/': async (page) => downloadRepro(page, {}),
    '/dashboard/orders/:id': async (page, order) => downloadRepro(page, { order }),
    '/dashboard/requests/:id': async (page, request) => downloadRepro(page, { request }),
  },
};
