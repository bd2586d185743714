import { type PageContext, type ToolPages, urlFor } from '../../dashboard/page.tsx';

/** Renders a button and the dialog that it opens. @param selection selects the target; the newest rejected request if empty */
function downloadRepro(page: PageContext, selection: { request?: string; order?: string }) {
  return (
    <>
      <button type="button" class="plain scripted" command="show-modal" commandfor="repro">
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
          <label class="check">
            <input type="checkbox" id="repro-personal" /> Keep personal data
          </label>
          <p role="status" data-status hidden />
          <p class="problem" role="alert" data-problem hidden />
          <p class="row end">
            <button type="submit" class="plain">
              Close
            </button>
            <button type="button" data-save>
              Download
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}

export const reproPages: ToolPages = {
  script: 'repro',
  actions: {
    '/': async (page) => downloadRepro(page, {}),
    '/dashboard/orders/:id': async (page, order) => downloadRepro(page, { order }),
    '/dashboard/requests/:id': async (page, request) => downloadRepro(page, { request }),
  },
};
