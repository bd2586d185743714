import { NAVIGATION } from './navigation.ts';
import { type Place, to } from './place.ts';

const KEYS: readonly (readonly [keys: string[], meaning: string])[] = [
  [['?'], 'This list'],
  [['/'], 'To the filter of the page'],
  [['j'], 'To the next row'],
  [['k'], 'To the row before'],
  [['n'], 'To the next part of a list'],
  [['p'], 'Pause and go on'],
];

/** What opens over a page: the shortcuts, and the question whether something is meant. */
export function Dialogs({ at }: { at: Place }) {
  const pages = NAVIGATION.flatMap((each) => each.pages);
  return (
    <>
      <dialog id="help" aria-labelledby="help-title">
        <form method="dialog">
          <h2 id="help-title">Keyboard shortcuts</h2>
          <dl class="keys">
            {KEYS.map(([keys, meaning]) => (
              <Shortcut keys={keys} meaning={meaning} />
            ))}
            {pages.map(({ key, name }) => (
              <Shortcut keys={['g', key]} meaning={name} />
            ))}
          </dl>
          <label class="check">
            <input type="checkbox" id="shortcuts" checked /> Shortcuts are on
          </label>
          <p class="quiet small">
            Also here: <a href={to(at, '/reference')}>the reference of the partner API</a> and its{' '}
            <a href={to(at, '/openapi.json')}>OpenAPI document</a>.
          </p>
          <p class="row end">
            <button type="submit">Close</button>
          </p>
        </form>
      </dialog>
      <dialog id="ask" aria-labelledby="ask-question">
        <form method="dialog">
          <p id="ask-question" class="question" />
          <p class="row end">
            <button type="submit" value="no" class="plain">
              Cancel
            </button>
            <button type="submit" value="yes" class="danger" id="ask-yes">
              Yes
            </button>
          </p>
        </form>
      </dialog>
      <dialog id="by-hand" aria-labelledby="by-hand-title">
        <form method="dialog">
          <h2 id="by-hand-title">Copy it by hand</h2>
          <p class="quiet">This browser lets no page copy at this address.</p>
          <textarea id="by-hand-text" rows={8} readonly aria-labelledby="by-hand-title" />
          <p class="row end">
            <button type="submit">Close</button>
          </p>
        </form>
      </dialog>
    </>
  );
}

function Shortcut({ keys, meaning }: { keys: string[]; meaning: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd>{key}</kbd>
        ))}
      </dt>
      <dd>{meaning}</dd>
    </div>
  );
}
