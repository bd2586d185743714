/** Fields, buttons, and what goes wrong in them. */
export const controls = `
.form { display: grid; gap: 1.6rem; }
fieldset { display: grid; gap: 1.05rem; min-width: 0; margin: 0; padding: 0; border: 0; }
legend { float: inline-start; width: 100%; padding: 0; margin-bottom: -0.15rem; color: var(--soft); font-size: 0.8125rem; font-weight: 650; letter-spacing: 0.06em; text-transform: uppercase; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; align-items: end; }
.field { display: grid; gap: 0.3rem; min-width: 0; }
.field label { font-weight: 600; font-size: 0.9375rem; }
.hint { color: var(--soft); font-size: 0.875rem; }
input, select, button, .button { font: inherit; }
input, select {
  width: 100%;
  min-width: 0;
  min-height: 3rem;
  padding: 0.6rem 0.85rem;
  border: 1px solid var(--edge);
  border-radius: 10px;
  background: var(--surface);
  color: var(--ink);
}
input[inputmode="numeric"] { font-variant-numeric: tabular-nums; }
input:focus-visible, select:focus-visible { outline-offset: 0; border-color: var(--focus); }
select {
  appearance: none;
  padding-inline-end: 2.5rem;
  background-image: linear-gradient(45deg, transparent 50%, currentColor 50%), linear-gradient(135deg, currentColor 50%, transparent 50%);
  background-position: right 1.2rem top 55%, right 0.85rem top 55%;
  background-size: 0.36rem 0.36rem;
  background-repeat: no-repeat;
}
.problem { color: var(--error); font-size: 0.9375rem; font-weight: 550; }
[aria-invalid="true"] { border: 2px solid var(--error); padding-inline-start: calc(0.85rem - 1px); }
.problems {
  border: 2px solid var(--error);
  border-radius: 12px;
  background: var(--error-wash);
  padding: 1rem 1.15rem;
}
.problems h2 { color: var(--error); font-size: 1.0625rem; }
.problems li { margin-top: 0.35rem; }
.problems a { color: var(--error); font-weight: 550; }
button, .button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  min-height: 3rem;
  padding: 0.6rem 1.4rem;
  border: 1px solid transparent;
  border-radius: 10px;
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 650;
  text-align: center;
  text-decoration: none;
  font-variant-numeric: tabular-nums;
  cursor: pointer;
}
button:hover, .button:hover { background: var(--accent-strong); color: var(--on-accent); }
button:active, .button:active { transform: translateY(1px); }
.wide { width: 100%; }
.big { min-height: 3.4rem; font-size: 1.0625rem; }
.plain, .plain:hover { background: transparent; color: var(--ink); border-color: var(--edge); }
.plain:hover { background: var(--well); }
.bare, .bare:hover { background: transparent; color: var(--soft); text-decoration: underline; text-underline-offset: 0.2em; font-weight: 550; }
.bare:hover { color: var(--ink); }
.row { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.row > a, .row > button { flex: 0 1 auto; max-width: 100%; overflow-wrap: anywhere; }
details.cards { border: 1px dashed var(--edge); border-radius: 12px; background: var(--well); }
details.cards summary { padding: 0.7rem 1rem; font-weight: 600; font-size: 0.9375rem; cursor: pointer; border-radius: 12px; }
details.cards > div { padding: 0 1rem 1rem; font-size: 0.9375rem; }
details.cards dt { font-variant-numeric: tabular-nums; font-weight: 600; }
details.cards dd { color: var(--soft); margin-bottom: 0.5rem; }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
@media (forced-colors: active) {
  button, .button { border-color: ButtonText; }
  [aria-invalid="true"] { border-style: double; border-width: 4px; }
}
`;
