/** What is different on a narrow screen: the sidebar becomes a strip, and rows become cards. */
export const narrow = `
@media (max-width: 60rem) {
  .shell { grid-template: auto auto 1fr / minmax(0, 1fr); grid-template-areas: "top" "side" "main"; }
  .side { border: 0; border-bottom: 1px solid var(--line); min-width: 0; }
  .side > .stay { position: static; flex-direction: row; align-items: center; max-height: none; padding: 0.35rem 1rem; overflow: auto hidden; overscroll-behavior-x: contain; scrollbar-width: none; }
  .side .leave { padding: 0 0 0 0.5rem; }
  .side .home, .side .heading { display: none; }
  .side nav, .side ul { display: flex; gap: 0.15rem; }
  .side .group { margin: 0; }
  .side li a { min-height: 2.4rem; white-space: nowrap; }
  .top { padding-block: 0.5rem; border-bottom: 0; background: var(--surface); }
}
@media (max-width: 46rem) {
  .top { gap: 0.3rem 0.75rem; }
  .top .now { order: 3; flex-basis: 100%; font-size: 0.875rem; }
  .menu summary { max-width: 60vw; }
  main { padding-top: 1.1rem; }
  button, .button, input, select { min-height: 2.5rem; }
  button.small, .copy { min-height: 2rem; }
  .round { width: 2.5rem; }
  .filter { grid-template-columns: 1fr 1fr; }
  .card { padding: 0.9rem 1rem; }
  .fold { padding-block: 0; }
  .facts > div { grid-template-columns: 7.5rem minmax(0, 1fr); }
  .headers > div { grid-template-columns: 1fr; gap: 0; padding-block: 0.3rem; }
  .trace li { grid-template-columns: 1.4rem minmax(0, 1fr); gap: 0 0.5rem; }
  .trace .says { grid-column: 2; }
  .lines li { grid-template-columns: 1fr; gap: 0; }
  table, tbody, tr, td { display: block; width: auto; }
  table { border: 0; background: none; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr, .card tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.2rem 1rem; padding: 0.7rem 0.9rem; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
  tbody tr + tr { margin-top: 0.6rem; }
  .card tbody tr { padding: 0.7rem 0; border-width: 1px 0 0; border-radius: 0; }
  .card tbody tr + tr { margin-top: 0; }
  td, td.wide, .card td:first-child, .card td:last-child { display: block; min-width: 0; max-width: 100%; padding: 0; border: 0; text-align: start; }
  td::before { content: attr(data-label); margin-inline-end: 0.5rem; color: var(--soft); font-size: 0.8125rem; }
  td:empty { display: none; }
  td:has(> .badge:only-child)::before { display: none; }
  td.main, .card td.main { display: block; flex: 1 0 100%; width: 100%; min-width: 0; font-size: 0.9375rem; }
  td.main::before, td.acts::before { display: none; }
  td.main > a { display: block; padding-block: 0.15rem; }
  td:not(.main) .id { display: inline; margin-inline-start: 0.4rem; }
  .timeline .id { display: block; margin: 0; }
  td.acts, .card td.acts { display: flex; flex-flow: row wrap; align-items: center; gap: 0.6rem; padding-top: 0.3rem; white-space: normal; }
  td.acts > * + * { margin: 0; }
  td.acts .plain, td.acts input { min-height: 2.5rem; }
  td.clip .mono { max-width: 60vw; }
  .id { overflow-wrap: anywhere; }
  .told { inset: auto 0.75rem 0.75rem 0.75rem; max-width: none; }
}
@media print { .side, .tools, form { display: none; } .shell { display: block; } }
`;
