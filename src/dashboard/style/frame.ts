/** What every page of the dashboard stands on: type, the sidebar, the bar above, the place for the page. */
export const frame = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  background: var(--page);
  color: var(--ink);
  font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif;
  font-synthesis: none;
  text-rendering: optimizeLegibility;
}
h1, h2, h3, p, dl, dd, ol, ul, pre, fieldset { margin: 0; padding: 0; }
ol, ul { list-style: none; }
h1, h2 { line-height: 1.25; letter-spacing: -0.012em; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; font-weight: 680; }
h2 { font-size: 1rem; font-weight: 650; }
p { text-wrap: pretty; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
main:focus-visible { outline: none; }
[hidden] { display: none !important; }
html:not(.with-script) .scripted, html:not(.with-script) form[data-act] { display: none; }
.quiet { color: var(--soft); }
.small { font-size: 0.8125rem; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.mono, code, pre, .id, kbd { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
.mono, code { font-size: 0.9em; overflow-wrap: anywhere; }
.when { font-variant-numeric: tabular-nums; white-space: nowrap; }
.day { color: var(--soft); }
.skip { position: fixed; inset: -4rem auto auto 0.75rem; z-index: 30; padding: 0.5rem 0.9rem; border-radius: 8px; background: var(--accent); color: var(--on-accent); }
.skip:focus { inset-block-start: 0.75rem; color: var(--on-accent); }
.shell { display: grid; grid-template: auto 1fr / 13.5rem minmax(0, 1fr); grid-template-areas: "side top" "side main"; min-height: 100vh; min-height: 100dvh; }
.side { grid-area: side; border-inline-end: 1px solid var(--line); background: var(--surface); }
.side > .stay { position: sticky; top: 0; display: flex; flex-direction: column; max-height: 100vh; max-height: 100dvh; overflow-y: auto; padding: 1.1rem 0.75rem; }
.side .home { align-self: start; }
.side .leave { padding: 1.1rem 0.6rem 0; }
.home { display: inline-block; padding: 0.15rem 0.6rem; color: inherit; text-decoration: none; }
.brand { display: inline-flex; align-items: center; gap: 0.5rem; font-weight: 700; font-size: 1.0625rem; letter-spacing: -0.01em; }
.brand svg { width: 1.2rem; height: 1.2rem; color: var(--accent); }
.side .group { margin-top: 1.1rem; }
.side .heading { padding: 0 0.6rem 0.25rem; color: var(--soft); font-size: 0.75rem; font-weight: 650; letter-spacing: 0.05em; text-transform: uppercase; }
.side li a { display: flex; align-items: center; min-height: 2rem; padding: 0.2rem 0.6rem; border-radius: 7px; color: var(--ink); text-decoration: none; }
.side li a:hover { background: var(--well); }
.side li a[aria-current] { background: var(--good-wash); color: var(--accent); font-weight: 650; }
.top { grid-area: top; display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 1.25rem; min-height: 3.5rem; padding: 0.5rem clamp(1rem, 2.5vw, 2rem); border-bottom: 1px solid var(--line); }
.now { color: inherit; text-decoration: none; }
.now:hover .when { text-decoration: underline; }
.clock .state { color: var(--soft); font-size: 0.8125rem; }
.clock.frozen .state { padding: 0.05rem 0.45rem; border-radius: 99px; background: var(--mark); color: var(--on-mark); }
.tools { display: flex; align-items: center; gap: 0.5rem; margin-inline-start: auto; }
main { grid-area: main; width: 100%; max-width: 82rem; padding: 1.5rem clamp(1rem, 2.5vw, 2rem) 4rem; }
main > * + *, .card > * + * { margin-top: 1rem; }
.menu { position: relative; }
.menu summary { display: flex; align-items: center; gap: 0.4rem; max-width: 20rem; min-height: 2rem; padding: 0.2rem 0.7rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--surface); cursor: pointer; list-style: none; }
.menu summary::-webkit-details-marker { display: none; }
.menu summary::after { content: ""; flex: none; width: 0.4rem; height: 0.4rem; margin: -0.2rem 0 0 0.2rem; border: solid currentColor; border-width: 0 1.5px 1.5px 0; transform: rotate(45deg); }
.menu .name { overflow: hidden; font-weight: 650; text-overflow: ellipsis; white-space: nowrap; }
.menu ul { position: absolute; inset: calc(100% + 0.35rem) auto auto 0; z-index: 20; min-width: 13rem; max-width: min(22rem, 85vw); max-height: 60vh; overflow-y: auto; padding: 0.35rem; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); box-shadow: var(--shadow); }
.menu li a { display: block; padding: 0.35rem 0.65rem; border-radius: 6px; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.menu li a:hover { background: var(--well); }
.menu li a[aria-current] { color: var(--accent); font-weight: 650; }
.menu .last { margin-top: 0.3rem; padding-top: 0.3rem; border-top: 1px solid var(--line); }
.bare-page { max-width: 32rem; margin: 12vh auto 0; }
.banner { position: fixed; inset: auto 0 0 0; padding: 0.6rem 1rem; background: var(--mark); color: var(--on-mark); text-align: center; }
.told { position: fixed; inset: auto 1.25rem 1.25rem auto; z-index: 25; max-width: min(28rem, calc(100vw - 2.5rem)); padding: 0.7rem 1.1rem; border: 1px solid var(--line); border-inline-start: 4px solid var(--accent); border-radius: 10px; background: var(--surface); box-shadow: var(--shadow); overflow-wrap: anywhere; visibility: hidden; opacity: 0; transition: opacity 0.15s; }
.told.shown { visibility: visible; opacity: 1; }
.told.bad { border-inline-start-color: var(--error); }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
`;
