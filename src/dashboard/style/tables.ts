/** Tables, and the ways to their other parts. */
export const tables = `
table { width: 100%; border-collapse: separate; border-spacing: 0; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); font-size: 0.875rem; }
.card table { border: 0; border-radius: 0; }
th { padding: 0.5rem 0.75rem; border-bottom: 1px solid var(--line); color: var(--soft); font-size: 0.8125rem; font-weight: 550; text-align: start; white-space: nowrap; }
td { padding: 0.5rem 0.75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
tbody tr:hover { background: var(--well); }
td.main { width: 45%; min-width: 14rem; overflow-wrap: anywhere; }
td.main .mono { font-weight: 550; }
td .badge { white-space: nowrap; }
td.clip .mono { display: inline-block; max-width: 22ch; overflow: hidden; text-overflow: ellipsis; vertical-align: bottom; white-space: nowrap; }
td.main > a { color: inherit; text-decoration: none; }
td.main > a:hover { color: var(--accent); text-decoration: underline; }
td.main > a .target { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; word-break: break-all; }
.number { text-align: end; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
td.wide { min-width: 9rem; color: var(--soft); }
th.acts { text-align: end; }
td.acts { padding-block: 0.3rem; text-align: end; white-space: nowrap; }
td.acts > * + * { margin-inline-start: 0.5rem; }
td.acts .plain { min-height: 1.85rem; padding-inline: 0.7rem; }
td.acts input { min-height: 1.85rem; }
.card td:first-child, .card th:first-child { padding-inline-start: 0.25rem; }
.card td:last-child, .card th:last-child { padding-inline-end: 0.25rem; }
.id, .sub { display: block; color: var(--soft); font-size: 0.8125rem; overflow-wrap: anywhere; }
.id .mono, td.main .id .mono { font-size: 1em; font-weight: 400; }
td .badge + .id { margin-top: 0.2rem; }
.method { font-weight: 700; font-size: 0.8125rem; letter-spacing: 0.01em; }
.fresh { animation: fresh 2.5s ease-out; }
@keyframes fresh { from { background: var(--good-wash); } }
.pager { display: flex; gap: 0.5rem; justify-content: end; }
details.inline summary { cursor: pointer; }
details.inline[open] { padding-bottom: 0.4rem; }
details.inline .block { margin-top: 0.5rem; }
details.inline summary .id { padding-inline-start: 1rem; }
`;
