import type { PropsWithChildren } from 'hono/jsx';
import { Link } from './page.tsx';

const SHORTCUTS = [
  ['?', 'Show shortcuts'],
  ['/', 'Find'],
] as const;

/** Renders the dialogs that the script opens: shortcuts, confirmation, copying by hand. */
export function Dialogs() {
  return (
    <>
      <Dialog id="help" label="help-title">
        <h2 id="help-title">Keyboard shortcuts</h2>
        <dl class="shortcuts">
          {SHORTCUTS.map(([key, meaning]) => (
            <div>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <label class="check">
          <input type="checkbox" id="shortcuts" checked /> Enable shortcuts
        </label>
        <p class="quiet small">
          See also the <Link to="/reference">API reference</Link> and the{' '}
          <Link to="/openapi.json">OpenAPI document</Link>.
        </p>
        <p class="row end">
          <button type="submit">Close</button>
        </p>
      </Dialog>
      <Dialog id="confirm" label="confirm-question">
        <p id="confirm-question" class="question" />
        <p class="row end">
          <button type="submit" value="no" class="plain">
            Cancel
          </button>
          <button type="submit" value="yes" class="danger">
            Yes
          </button>
        </p>
      </Dialog>
    </>
  );
}

function Dialog({ id, label, children }: PropsWithChildren<{ id: string; label: string }>) {
  return (
    <dialog id={id} aria-labelledby={label}>
      <form method="dialog">{children}</form>
    </dialog>
  );
}
