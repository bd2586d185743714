/**
 * Styles of the sequence diagram, which is a list on narrow pages. Lifelines are at 10%, 50% and 90% of its width. With
 * `[class]`, the rules of narrow pages outweigh those above.
 */
export const STYLES = `
.story { container-type: inline-size; font-size: 0.875rem; }
.story .actors, .story li { display: grid; grid-template-columns: 5.6rem minmax(0, 5fr) minmax(0, 3fr); column-gap: 0.9rem; }
.story .actors p { grid-area: 1 / 2; width: 31%; padding: 0.35rem 0.5rem; border: 1.5px solid var(--edge); border-radius: 8px; background: var(--well); font-weight: 650; text-align: center; }
.story .actors .mono, .story .actors .quiet { display: block; overflow: hidden; color: var(--soft); font-weight: 400; text-overflow: ellipsis; white-space: nowrap; }
.story .actors .partner { margin-inline-start: calc(10% - 31% / 2); }
.story .actors .sandbox { justify-self: center; align-content: center; }
.story .actors .receiver { justify-self: end; margin-inline-end: calc(10% - 31% / 2); }
.story li { position: relative; grid-template-rows: auto auto auto 1fr; break-inside: avoid; }
.story li:first-child { padding-top: 0.4rem; }
.story svg { overflow: visible; pointer-events: none; }
.story .lifelines { position: absolute; inset: 0; grid-area: 1 / 2 / -1 / 3; width: 100%; height: calc(100% + 1px); }
.story .lifelines line { stroke: color-mix(in srgb, var(--edge) 55%, var(--surface)); stroke-width: 1.5; }
.story .arrow { position: relative; grid-column: 2; align-self: end; width: 100%; height: 14px; }
.story .arrow :is(line, path) { fill: none; stroke: var(--ink); stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.story .arrow circle { fill: var(--ink); }
.story svg.call { grid-row: 2; }
.story svg.back { grid-row: 3; }
.story svg.back circle { display: none; }
.story svg.back line { stroke-dasharray: 2 5; }
.story .error svg.back :is(line, path) { stroke: var(--error); }
.story time { grid-area: 2 / 1 / -1 / 2; padding-top: 0.4rem; color: var(--soft); font-size: 0.8125rem; text-align: end; }
.story time.same { visibility: hidden; }
.story time .day { display: block; color: var(--ink); font-weight: 650; }
.story :is(.call, .back):not(svg) { grid-column: 2; position: relative; justify-self: center; max-width: 100%; text-align: center; }
.story div.call { grid-row: 2; padding-block: 0.22rem; }
.story div.back { grid-row: 3; padding-bottom: 0.3rem; }
.story :is(.request, .attempt) > div { justify-self: stretch; }
.story :is(.request, .attempt) > div.call { padding: 0.45rem 0.5rem 0.8rem; }
.story :is(.request, .attempt) > div.back { padding: 0 0.5rem 0.85rem; }
.story .request > div { margin-inline: 10% 50%; }
.story .attempt > div { margin-inline: 50% 10%; }
.story .label { font-weight: 550; overflow-wrap: anywhere; }
.story a.label { text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); }
.story a.label:hover { text-decoration-color: currentColor; }
.story a.label:has(.badge) { text-decoration: none; }
.story .by { display: inline-block; margin-inline-end: 0.3rem; color: var(--soft); font-size: 0.6875rem; font-weight: 650; letter-spacing: 0.06em; text-transform: uppercase; }
.story .why { grid-area: 2 / 3 / -1 / 4; padding-block: 0.45rem; color: var(--soft); font-size: 0.8125rem; line-height: 1.4; }
.story :is(.event, .action, .clock) > .call > .label { display: inline-block; padding: 0.12rem 0.7rem; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); }
.story :is(.action, .clock) > .call > .label { border-color: var(--edge); border-radius: 2px; background: var(--well); }
.story .event > .call > .label { border-radius: 99px; font-weight: 400; font-size: 0.8125rem; }
.story .move .badge { padding-inline: 0.8rem; box-shadow: 0 0 0 1px var(--edge); }
.story .gap { grid-area: 1 / 2; position: relative; justify-self: center; padding-block: 0.4rem; }
.story .gap span { display: inline-block; padding: 0.05rem 0.7rem; background: var(--surface); color: var(--soft); font-size: 0.8125rem; font-style: italic; }
@container (max-width: 52rem) {
  .story .actors, .story li { grid-template-columns: 5.4rem minmax(0, 2fr) minmax(0, 1fr); }
  .story li[class] > div[class] { padding-inline: 0.2rem; }
  .story .back .badge { padding-inline: 0.35rem; }
}
@media print { .story a { color: inherit; text-decoration: none; } }
@container (max-width: 38rem) {
  .story :is(.actors, svg) { display: none; }
  .story li { display: block; padding-block: 0.35rem; border-bottom: 1px solid var(--line); }
  .story li[class] > :is(div, p, time)[class], .story time { justify-self: start; margin: 0; padding: 0; text-align: start; }
  .story time.same { display: none; }
}
`;
