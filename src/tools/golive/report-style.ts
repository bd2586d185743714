export const REPORT_STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --dim: #59636e; --line: #d1d9e0; --page: #fff; --box: #f6f8fa;
  --good: #1a7f37; --bad: #c4232b; --open: #8a5a00 }
@media screen and (prefers-color-scheme: dark) { :root { --text: #f0f6fc; --dim: #9198a1; --line: #3d444d; --page: #0d1117;
  --box: #1a212a; --good: #3fb950; --bad: #ff7b72; --open: #d29922 } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.7rem; margin: 0 0 .75rem } h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; break-after: avoid }
h3 { font-size: 1rem; margin: 0 } h2 .dim { font-weight: normal }
p, ul, ol { margin: .4rem 0 } ol { padding-left: 1.4rem }
a { color: inherit } a:hover { text-decoration-thickness: 2px }
code { font: .875em ui-monospace, monospace; background: var(--box); border-radius: 4px; padding: .1em .3em }
code.command { user-select: all }
ul.plain, ul.groups { list-style: none; padding: 0 }
ul.plain li { margin: .3rem 0 }
ul.groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .5rem }
ul.groups li { display: flex; justify-content: space-between; border: 1px solid var(--line); border-radius: 6px; padding: .3rem .7rem }
.result { border: 1px solid; border-radius: 8px; padding: .7rem 1rem; font-weight: 600 }
article { border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; margin: .75rem 0; break-inside: avoid }
:target { outline: 2px solid var(--open) }
table { border-collapse: collapse; width: 100% } tr { break-inside: avoid }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line) }
th { font-size: .875rem; color: var(--dim); overflow-wrap: normal }
.met td:first-child { width: 45% } .met td:nth-child(2) { white-space: nowrap }
.dim { color: var(--dim) } .good { color: var(--good) } .bad { color: var(--bad) } .open { color: var(--open) }
@media (max-width: 40rem) {
  body { padding: 1.25rem .9rem 3rem }
  thead { display: none } tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0 }
  td, .met td:first-child { display: block; width: auto; border: 0; padding: .1rem 0 }
  .met td:nth-child(2)::before { content: 'Seen: '; color: var(--dim) }
  .sources td:nth-child(3)::before { content: 'Requests: ' } .sources td:nth-child(4)::before { content: 'Webhook attempts: ' }
}
@media print {
  :root { color-scheme: light; --text: #000; --dim: #444; --line: #999; --box: #fff }
  body { padding: 0; max-width: none; font-size: 11pt } code { padding: 0 }
}
`;
