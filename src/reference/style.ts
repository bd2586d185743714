import { LANGUAGES } from './languages.ts';

const shownWhenChosen = LANGUAGES.map(
  ({ id }) => `body:has(#in-${id}:checked) .in-${id} { display: block; }`,
).join('\n  ');

/** What the reference needs beyond the base of the pages. */
export const style = `
html { scroll-padding-top: 4.5rem; }
body { font-size: 0.9375rem; }
code, pre, .path, .verb { font-family: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.875em; }
p code, td code, li code { background: var(--well); border: 1px solid var(--line); border-radius: 4px; padding: 0 0.25em; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.6rem, 1.3rem + 1.2vw, 2.1rem); }
h2 { font-size: 1.4rem; margin-top: 0.25rem; }
h3 { font-size: 1rem; line-height: 1.4; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 9; background: var(--surface); padding: 0.5rem 1rem; }
.top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.25rem 1.5rem; padding: 0.75rem clamp(1rem, 3vw, 2rem); border-bottom: 1px solid var(--line); background: var(--surface); }
.top ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
.top a { display: inline-block; padding-block: 0.25rem; color: var(--soft); text-decoration: none; }
.top a:hover, .top a[aria-current] { color: var(--ink); text-decoration: underline; text-decoration-thickness: 2px; text-decoration-color: var(--accent); text-underline-offset: 0.45em; }
.top a[aria-current] { font-weight: 600; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr); width: 100%; max-width: 100rem; margin-inline: auto; }
.contents { padding: 1rem clamp(1rem, 3vw, 2rem); font-size: 0.875rem; border-bottom: 1px solid var(--line); }
.contents > ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
.contents > ul ul { display: none; }
.contents a { display: inline-block; padding-block: 0.15rem; color: var(--soft); text-decoration: none; overflow-wrap: anywhere; }
.contents a:hover { color: var(--accent); text-decoration: underline; }
.contents > ul > li > a { color: var(--ink); font-weight: 600; }
main { display: block; min-width: 0; padding: 0 clamp(1rem, 3vw, 2.5rem) 4rem; }
main > section { padding-top: 2rem; }
main > section + section { border-top: 1px solid var(--line); margin-top: 2.5rem; }
.stack > * + * { margin-top: var(--gap, 0.9rem); }
.text { max-width: 46rem; }
.told { padding-left: 1.25rem; }
ul.told { list-style: disc; } ol.told { list-style: decimal; }
.told li + li { margin-top: 0.3rem; }
.languages { position: sticky; top: 0; z-index: 2; display: flex; gap: 0.25rem; margin: 0 calc(-1 * clamp(1rem, 3vw, 2.5rem)); padding: 0.6rem clamp(1rem, 3vw, 2.5rem); border: 0; border-bottom: 1px solid var(--line); background: var(--page); overflow-x: auto; min-inline-size: 0; }
.languages label { position: relative; flex: none; }
.languages input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer; }
.languages span { display: block; padding: 0.3rem 0.8rem; border-radius: 99px; font-size: 0.875rem; font-weight: 550; color: var(--soft); }
.languages input:hover + span { color: var(--ink); background: var(--well); }
.languages input:checked + span { background: var(--accent); color: var(--on-accent); }
.languages input:focus-visible + span { outline: 3px solid var(--focus); outline-offset: 1px; }
@supports selector(:has(*)) {
  body:has(.languages) .by-language { display: none; }
  ${shownWhenChosen}
}
.headers > div { display: grid; gap: 0.35rem; padding-block: 0.7rem; border-top: 1px solid var(--line); }
.headers dd > * + * { margin-top: 0.7rem; }
.signers { padding-top: 2rem; }
.two + .operation { margin-top: 1.75rem; }
.operation { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem 2.5rem; padding-block: 1.75rem; border-top: 1px solid var(--line); scroll-margin-top: 3.5rem; }
.head + .operation { border-top: 0; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover .path { text-decoration: underline; }
.verb { display: inline-block; padding: 0.05rem 0.5rem; border-radius: 6px; font-weight: 700; background: var(--well); border: 1px solid var(--edge); }
.verb.get { color: var(--accent); border-color: currentColor; }
.verb.delete { color: var(--error); border-color: currentColor; }
.path { font-weight: 600; font-size: 0.9375rem; overflow-wrap: anywhere; }
.summary { font-size: 1rem; }
.tags a { color: inherit; text-decoration: none; }
.tags a:hover { text-decoration: underline; }
.tags li { border-color: var(--edge); }
.chosen { border-left: 3px solid var(--mark); padding-left: 0.75rem; }
.choice { display: inline-block; margin-left: 0.3rem; padding: 0 0.5rem; border-radius: 99px; background: var(--mark); color: var(--on-mark); font-size: 0.75rem; font-weight: 600; white-space: nowrap; }
.chosen .choice { margin-left: 0; }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; }
caption { text-align: left; font-weight: 650; padding-bottom: 0.35rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-top: 1px solid var(--line); overflow-wrap: break-word; }
.members th, .members td { overflow-wrap: anywhere; }
thead th { color: var(--soft); font-weight: 550; font-size: 0.8125rem; border-top: 0; padding-block: 0 0.3rem; }
tbody th { font-weight: 600; }
.members th:first-child { width: 32%; }
.members td:nth-child(2), .members thead th:nth-child(2) { width: 22%; }
.need { color: var(--error); font-size: 0.8125rem; white-space: nowrap; }
details > summary { cursor: pointer; font-weight: 600; padding-block: 0.25rem; }
details[open] > summary { margin-bottom: 0.5rem; }
details caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
figure { margin: 0; }
.code { position: relative; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); overflow: hidden; }
.code figcaption { padding: 0.5rem 0.9rem; color: var(--soft); font-size: 0.8125rem; border-bottom: 1px solid var(--line); background: var(--well); }
.code pre { margin: 0; padding: 0.8rem 0.9rem; overflow: auto; max-height: 30rem; line-height: 1.5; tab-size: 4; }
.code pre:focus-visible { outline-offset: -3px; }
.copies { display: flex; gap: 0.35rem; float: right; padding: 0.25rem 0.35rem; position: relative; z-index: 1; }
.copies button { font: inherit; font-size: 0.8125rem; min-height: 1.6rem; padding: 0.1rem 0.6rem; border: 1px solid var(--edge); border-radius: 6px; background: var(--surface); color: var(--ink); cursor: pointer; }
.copies button:hover { border-color: var(--accent); color: var(--accent); }
.two { display: grid; gap: 1.25rem 2.5rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 64rem) {
  .sides { grid-template-columns: 17.5rem minmax(0, 1fr); }
  .contents { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); padding: 1.25rem 1rem 3rem clamp(1rem, 2vw, 2rem); }
  .contents > ul { display: block; }
  .contents > ul > li { margin-bottom: 0.6rem; }
  .contents > ul ul { display: block; padding-left: 0.75rem; border-left: 1px solid var(--line); }
}
@media (min-width: 80rem) {
  .operation, .two { grid-template-columns: minmax(0, 1.1fr) minmax(0, 1fr); align-items: start; }
  .operation .shown { position: sticky; top: 3.75rem; max-height: calc(100vh - 4.5rem); overflow-y: auto; }
}
@media (max-width: 40rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { display: block; padding-block: 0.45rem; border-top: 1px solid var(--line); }
  th, td { display: block; width: auto !important; border: 0; padding: 0.05rem 0; overflow-wrap: anywhere; }
}
@media print { .contents, .languages, .copies, .top nav { display: none; } }
`;
