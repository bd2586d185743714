import { type PageContext, type ToolPages, urlFor } from '../../dashboard/page.tsx';

/** Renders a button for `browser.js`. @param selection of the target; if empty, the newest rejected request */
function downloadRepro(page: PageContext, selection: { request?: string; order?: string }) {
  return (
    <>
      <button
        type="button"
        class="plain scripted"
        data-repro={JSON.stringify(selection)}
        data-action={urlFor(page, '/repro/export')}
      >
        Download repro
      </button>
      <p class="problem" role="alert" id="repro-problem" data-keep hidden />
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
