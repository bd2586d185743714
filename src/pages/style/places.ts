/** What one kind of page needs for itself. */
export const places = `
.checkout { display: grid; gap: clamp(1.5rem, 4vw, 4rem); }
.checkout > * { min-width: 0; }
.offer { --gap: 1.1rem; padding-block: clamp(0rem, 2vw, 1.5rem); }
.pay { --gap: 1.35rem; }
.pay .assent { margin-top: 0.9rem; }
.pay .assent + form { margin-top: 0.25rem; }
@media (min-width: 56rem) {
  .checkout { grid-template-columns: minmax(0, 1fr) minmax(0, 29rem); align-items: start; }
  .checkout .offer { position: sticky; top: 2rem; }
}
.assent { color: var(--soft); font-size: 0.875rem; text-align: center; }
.notice { max-width: 38rem; margin-inline: auto; --gap: 1.1rem; }
.notice .row { padding-top: 0.5rem; }
.sheet > .eyebrow + h1, .offer > .eyebrow + h1 { margin-top: 0.3rem; }
.sign { display: grid; place-items: center; width: 3rem; height: 3rem; border-radius: 50%; background: var(--well); color: var(--soft); }
.sign svg { width: 1.6rem; height: 1.6rem; }
.sign.good { background: var(--good-wash); color: var(--accent); }
.sign.bad { background: var(--error-wash); color: var(--error); }
.lander { display: grid; gap: clamp(1.25rem, 3vw, 2rem); }
.lander .head { --gap: 0.6rem; max-width: 42rem; }
.search { display: flex; gap: 0.75rem; align-items: end; max-width: 42rem; }
.search .field { flex: 1; }
.goods { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
.ware { display: flex; flex-direction: column; gap: 0.5rem; padding: 1.25rem; box-shadow: none; }
.ware h3 { font-size: 1.125rem; }
.ware .price { font-size: 1.25rem; }
.ware .buy { margin-top: auto; padding-top: 0.5rem; display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.75rem; }
.steps { --mark-size: 1.1rem; }
.steps li { position: relative; padding: 0 0 1.5rem 2.2rem; }
.steps li:last-child { padding-bottom: 0; }
.steps li::before {
  content: "";
  position: absolute;
  inset: 0.22rem auto auto 0;
  width: var(--mark-size);
  height: var(--mark-size);
  border-radius: 50%;
  border: 2px solid var(--accent);
  background: var(--accent);
}
.steps li::after {
  content: "";
  position: absolute;
  inset: 1.5rem auto 0 calc(var(--mark-size) / 2 - 1px);
  width: 2px;
  background: var(--line);
}
.steps li:last-child::after { display: none; }
.steps li.ahead { color: var(--soft); }
.steps li.ahead::before { background: transparent; border-color: var(--edge); border-style: dashed; }
.steps li.ended::before { background: var(--edge); border-color: var(--edge); }
.steps strong { font-weight: 650; }
@media (max-width: 26rem) {
  .search { flex-direction: column; align-items: stretch; }
  .notice .row > * { width: 100%; }
}
@media print { .top, .foot, .row { display: none; } .sheet { border: 0; box-shadow: none; } }
`;
