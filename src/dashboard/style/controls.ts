/** Buttons, fields, forms, dialogs. */
export const controls = `
button, input, select, textarea, .button { font: inherit; }
button, .button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  min-height: 2.125rem;
  padding: 0.25rem 0.9rem;
  border: 1px solid transparent;
  border-radius: 8px;
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
  text-decoration: none;
  white-space: nowrap;
  cursor: pointer;
}
button:hover, .button:hover { background: var(--accent-strong); color: var(--on-accent); }
button:active, .button:active { transform: translateY(1px); }
.plain, .round, .live { border-color: var(--edge); background: var(--surface); color: var(--ink); font-weight: 550; }
.plain:hover, .round:hover, .live:hover { background: var(--well); color: var(--ink); }
.danger, .danger:hover { background: var(--error); color: var(--surface); }
button.small { min-height: 1.6rem; padding: 0 0.55rem; font-size: 0.8125rem; }
.round { width: 2.125rem; padding: 0; border-radius: 50%; font-weight: 650; }
.live { gap: 0.5rem; border-radius: 99px; }
.dot { width: 0.55rem; height: 0.55rem; border-radius: 50%; background: var(--edge); }
.live[data-state="live"] .dot { background: var(--accent); }
.live[data-state="waiting"] .dot { border: 2px solid var(--on-mark); background: var(--mark); }
.live[data-state="gone"], .live[data-state="deleted"] { border-color: var(--error); color: var(--error); }
.live[data-state="gone"] .dot, .live[data-state="deleted"] .dot { background: var(--error); }
input, select, textarea {
  width: 100%;
  min-width: 0;
  min-height: 2.125rem;
  padding: 0.25rem 0.65rem;
  border: 1px solid var(--edge);
  border-radius: 8px;
  background: var(--surface);
  color: var(--ink);
}
::placeholder { color: var(--soft); opacity: 1; }
input:focus-visible, select:focus-visible, textarea:focus-visible { outline-offset: 0; border-color: var(--focus); border-radius: 8px; }
select {
  appearance: none;
  padding-inline-end: 1.9rem;
  background-image: linear-gradient(45deg, transparent 50%, currentColor 50%), linear-gradient(135deg, currentColor 50%, transparent 50%);
  background-position: right 0.95rem top 55%, right 0.65rem top 55%;
  background-size: 0.32rem 0.32rem;
  background-repeat: no-repeat;
  text-overflow: ellipsis;
}
input[type="checkbox"] { width: 1.05rem; height: 1.05rem; min-height: 0; margin: 0; accent-color: var(--accent); }
.check { display: inline-flex; align-items: center; gap: 0.45rem; min-height: 2.125rem; }
.field { display: grid; gap: 0.2rem; min-width: 0; align-content: start; }
.field label { color: var(--soft); font-size: 0.8125rem; font-weight: 550; }
.hint { color: var(--soft); font-size: 0.8125rem; }
.filter { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 10.5rem), 1fr)); gap: 0.75rem; align-items: end; }
.form { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 14rem), 1fr)); gap: 0.9rem 1rem; align-items: start; }
.form > .row, .form > .problem, .form > fieldset, .form > pre, .form > .minted { grid-column: 1 / -1; }
.form > .check { align-self: end; }
.form.line { display: flex; flex-wrap: wrap; align-items: end; gap: 0.6rem 0.9rem; }
.form.line .field { flex: 1 1 9rem; max-width: 20rem; }
.form.line .problem { flex-basis: 100%; }
fieldset { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 11rem), 1fr)); gap: 0.6rem 1rem; min-width: 0; border: 0; align-items: end; }
legend { float: inline-start; grid-column: 1 / -1; width: 100%; padding: 0; font-weight: 650; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
.row.end { justify-content: end; }
.act { display: inline-block; max-width: 100%; }
.problem { color: var(--error); font-size: 0.875rem; font-weight: 550; white-space: normal; }
.act .problem { max-width: 22rem; margin-top: 0.3rem; text-align: start; }
.price { display: inline-flex; flex-wrap: wrap; gap: 0.4rem; }
.price input { width: 8rem; text-align: end; font-variant-numeric: tabular-nums; }
.copy { min-height: 1.6rem; padding: 0 0.6rem; border-color: var(--line); background: var(--surface); color: var(--soft); font-size: 0.8125rem; font-weight: 550; }
.copy:hover { border-color: var(--edge); background: var(--well); color: var(--ink); }
dialog { width: min(34rem, calc(100vw - 2rem)); max-height: calc(100dvh - 2rem); padding: 1.4rem; border: 1px solid var(--line); border-radius: 14px; background: var(--surface); color: var(--ink); box-shadow: var(--shadow); }
dialog::backdrop { background: rgb(20 18 14 / 0.45); }
dialog form > * + * { margin-top: 0.9rem; }
.question { font-size: 1.0625rem; }
.keys { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); gap: 0.35rem 1.25rem; }
.keys > div { display: flex; align-items: baseline; gap: 0.6rem; }
.keys dt { flex: none; min-width: 3.2rem; }
kbd { display: inline-block; min-width: 1.5rem; margin-inline-end: 0.2rem; padding: 0 0.35rem; border: 1px solid var(--edge); border-bottom-width: 2px; border-radius: 5px; background: var(--well); font-size: 0.8125rem; text-align: center; }
textarea { resize: vertical; font-family: ui-monospace, monospace; font-size: 0.8125rem; }
.sign-in { grid-template-columns: 1fr; margin-top: 1.25rem; }
@media (forced-colors: active) { button, .button { border-color: ButtonText; } }
`;
