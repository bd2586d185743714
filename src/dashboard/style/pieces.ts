/** What pages are put together from: heads, cards, badges, blocks, traces, timelines. */
export const pieces = `
.head { display: flex; flex-wrap: wrap; align-items: start; justify-content: space-between; gap: 0.75rem 1.5rem; }
.head > div:first-child { min-width: 0; flex: 1 1 22rem; }
.lead { margin-top: 0.25rem; color: var(--soft); max-width: 46rem; }
.crumbs { margin-bottom: -0.6rem; font-size: 0.875rem; }
.crumbs::before { content: "← "; color: var(--soft); }
h1 .mono { font-size: 0.85em; word-break: break-all; }
h1 .method { font-size: 0.75em; }
.card { padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
.cards > .card { margin: 0; }
.card-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1rem; }
.fold { padding-block: 0; }
.fold summary { padding-block: 0.7rem; font-weight: 600; cursor: pointer; }
.fold[open] { padding-bottom: 1.1rem; }
.fold[open] summary { border-bottom: 1px solid var(--line); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 0 2rem; }
.facts > div { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: 0.75rem; padding-block: 0.32rem; }
.cards .facts { grid-template-columns: 1fr; }
.facts dt { color: var(--soft); }
.facts dd { overflow-wrap: anywhere; }
.env > div { padding-block: 0.4rem; border-bottom: 1px solid var(--line); }
.env > div:last-child { border-bottom: 0; }
.env dt { color: var(--soft); font: 0.8125rem ui-monospace, monospace; }
.secret code { overflow-wrap: anywhere; }
.secret { display: inline-flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.6rem; }
.badge { display: inline-block; max-width: 100%; padding: 0.08rem 0.55rem; border-radius: 6px; font-size: 0.8125rem; font-weight: 600; overflow-wrap: anywhere; }
.badge.good { background: var(--good-wash); color: var(--accent); }
.badge.bad { background: var(--error-wash); color: var(--error); }
.badge.doubtful { background: var(--mark); color: var(--on-mark); }
.badge.calm { background: var(--well); color: var(--soft); box-shadow: inset 0 0 0 1px var(--line); }
.outcome { font-size: 1rem; }
.outcome .fix { display: block; }
.verdict { max-width: 56rem; font-size: 1rem; }
.warnings { padding: 0.7rem 1rem; border-radius: 8px; background: var(--mark); color: var(--on-mark); }
.warnings h2 { font-size: 0.875rem; }
.warnings li { margin-top: 0.2rem; }
.empty { padding: 1.5rem 1.25rem; border: 1px dashed var(--edge); border-radius: 12px; }
.card .empty { padding: 1rem; }
.empty > * + * { margin-top: 0.6rem; }
.empty.bad { border-color: var(--error); }
.command { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
.command code { flex: 0 1 auto; min-width: 0; padding: 0.35rem 0.7rem; border-radius: 7px; background: var(--well); white-space: pre-wrap; }
.block { position: relative; }
.block > .copy { position: absolute; inset: 0.45rem 0.45rem auto auto; }
pre { max-height: 28rem; overflow: auto; padding: 0.75rem 0.9rem; border: 1px solid var(--line); border-radius: 8px; background: var(--well); font-size: 0.8125rem; line-height: 1.55; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2; }
.raw { margin-top: 0.4rem; font-size: 0.8125rem; }
.raw summary { color: var(--soft); cursor: pointer; }
.raw pre { margin-top: 0.4rem; }
.minted { display: grid; gap: 0.6rem; justify-items: start; padding: 0.9rem 1rem; border: 1px solid var(--accent); border-radius: 10px; background: var(--good-wash); }
.minted pre { width: 100%; background: var(--surface); }
.trace li { display: grid; grid-template-columns: 1.4rem 8rem minmax(0, 1fr); gap: 0.5rem; padding: 0.35rem 0.4rem; border-radius: 6px; }
.trace li + li { border-top: 1px solid var(--line); border-radius: 0; }
.trace .mark { color: var(--accent); font-weight: 700; text-align: center; }
.trace .step { font-weight: 550; }
.trace .step::first-letter { text-transform: uppercase; }
.trace .says { color: var(--soft); font-size: 0.875rem; overflow-wrap: anywhere; }
.trace .failed { background: var(--error-wash); }
.trace .failed .mark, .trace .failed .says { color: var(--error); }
.trace .done .mark { color: var(--soft); }
.sides { display: grid; gap: 0.75rem 1rem; }
.sides.two { grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); }
.side-by-side { min-width: 0; }
.side-title { display: flex; align-items: center; justify-content: space-between; min-height: 1.8rem; margin-bottom: 0.3rem; }
.lines { border: 1px solid var(--line); border-radius: 8px; background: var(--well); font-size: 0.875rem; overflow: hidden; }
.lines li { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: 0.6rem; padding: 0.22rem 0.75rem; border-inline-start: 4px solid transparent; }
.lines .what { color: var(--soft); font-size: 0.8125rem; }
.lines .mono { white-space: pre-wrap; }
.lines .differs.expected { border-color: var(--accent); background: var(--good-wash); }
.lines .differs.signed { border-color: var(--error); background: var(--error-wash); }
.lines .differs .what { color: var(--ink); }
.headers { font-size: 0.875rem; }
.headers > div { display: grid; grid-template-columns: minmax(9rem, 14rem) minmax(0, 1fr); gap: 0.75rem; padding-block: 0.15rem; }
.headers dt { color: var(--soft); }
.timeline li { position: relative; padding: 0 0 0.9rem 1.4rem; }
.timeline li:last-child { padding-bottom: 0; }
.timeline li::before { content: ""; position: absolute; inset: 0.45rem auto auto 0; width: 0.65rem; height: 0.65rem; border-radius: 50%; background: var(--accent); }
.timeline li::after { content: ""; position: absolute; inset: 1.25rem auto -0.3rem 0.28rem; width: 2px; background: var(--line); }
.timeline li:last-child::after { display: none; }
.timeline .id { display: inline; margin-inline-start: 0.5rem; }
.big-clock { font-size: clamp(1.35rem, 1rem + 2vw, 2rem); font-weight: 650; letter-spacing: -0.01em; }
.big-clock .state { font-size: 0.875rem; font-weight: 550; letter-spacing: 0; vertical-align: middle; }
.big-clock + .quiet { margin-top: 0.1rem; }
`;
