/**
 * Styles of the go-live report, on its page and in its file (`.golive-file`). Every page of the dashboard has them, so no
 * other page may use these classes.
 */
export const STYLES = `
.item { break-inside: avoid; scroll-margin-top: 1rem; }
.item + .item { margin-top: 0; border-top: 1px solid var(--line); }
.item > summary { padding-block: 0.35rem; cursor: pointer; }
.item[open] { padding-bottom: 0.8rem; }
.item > :not(summary) + * { margin-top: 0.4rem; }
.item h3 { display: inline; margin-inline-end: 0.4rem; font-size: 0.9375rem; font-weight: 650; }
.item:target { outline: 3px solid var(--focus); outline-offset: 6px; border-radius: 4px; }
.next { padding-inline-start: 1.3rem; list-style: decimal; }
.next li + li { margin-top: 0.3rem; }
.next .command { margin-top: 0.2rem; }
.evidence li { padding-block: 0.15rem; overflow-wrap: anywhere; }
.contradicted .evidence { padding: 0.35rem 0.75rem; border-inline-start: 4px solid var(--error); background: var(--error-wash); border-radius: 0 8px 8px 0; }
.golive-file { overflow-wrap: anywhere; }
.golive-file main { margin-inline: auto; }
.golive-file bdi { overflow-wrap: anywhere; white-space: normal; }
.golive-file .command code { user-select: all; }
@media print { details::details-content { content-visibility: visible; block-size: auto; } }
@media print { .golive-file main { padding: 0; max-width: none; } }
`;
