/** What every page stands on: type, links, focus, the frame around the content. */
export const base = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  display: flex;
  flex-direction: column;
  background: var(--page);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif;
  font-synthesis: none;
  text-rendering: optimizeLegibility;
}
h1, h2, h3, p, dl, dd, ol, ul { margin: 0; padding: 0; }
ol, ul { list-style: none; }
h1, h2, h3 { line-height: 1.2; letter-spacing: -0.015em; text-wrap: balance; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.75rem, 1.35rem + 2vw, 2.5rem); font-weight: 700; }
h2 { font-size: 1.25rem; font-weight: 650; }
p { text-wrap: pretty; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 0.2em; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.quiet { color: var(--soft); }
.small { font-size: 0.875rem; }
.unseen {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.frame { width: 100%; max-width: 66rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem); }
.top { padding-block: 1rem; }
.top .frame { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1rem; }
.brand { display: inline-flex; align-items: center; gap: 0.55rem; font-weight: 700; letter-spacing: -0.01em; }
.brand svg { width: 1.25rem; height: 1.25rem; color: var(--accent); }
.mark {
  padding: 0.2rem 0.75rem;
  border-radius: 99px;
  background: var(--mark);
  color: var(--on-mark);
  font-size: 0.875rem;
  font-weight: 600;
}
main { flex: 1; padding-block: clamp(1rem, 4vw, 3rem) clamp(2rem, 6vw, 4rem); }
.foot { border-top: 1px solid var(--line); padding-block: 1.25rem; color: var(--soft); font-size: 0.875rem; }
.sheet {
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: 16px;
  box-shadow: var(--shadow);
  padding: clamp(1.25rem, 4vw, 2.25rem);
}
.stack > * + * { margin-top: var(--gap, 1rem); }
.eyebrow { color: var(--soft); font-size: 0.9375rem; font-weight: 550; }
.price { font-size: clamp(1.5rem, 1.3rem + 1vw, 1.875rem); font-weight: 650; font-variant-numeric: tabular-nums; letter-spacing: -0.02em; line-height: 1.2; }
.tags { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.tags li { padding: 0.1rem 0.65rem; border: 1px solid var(--line); border-radius: 99px; color: var(--soft); font-size: 0.8125rem; }
.facts { border-top: 1px solid var(--line); }
.facts > div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem; padding-block: 0.7rem; border-bottom: 1px solid var(--line); }
.facts dt { color: var(--soft); }
.facts dd { font-weight: 550; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
`;
