import { html, raw } from 'hono/html';
import { escapeControls } from '../kernel/printable.ts';
import { describeGate } from './describe.ts';
import { MAX_COUNT, type Report, type ReportEvidence, type ReportItem } from './report.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --dim: #59636e; --line: #d1d9e0; --page: #fff; --box: #f6f8fa;
  --good: #1a7f37; --bad: #c4232b; --open: #9a6700 }
@media (prefers-color-scheme: dark) { :root { --text: #f0f6fc; --dim: #9198a1; --line: #3d444d; --page: #0d1117;
  --box: #151b23; --good: #3fb950; --bad: #ff6b63; --open: #d29922 } }
@media print { :root { color-scheme: light; --text: #000; --dim: #444; --line: #999; --page: #fff; --box: #fff;
  --good: #1a7f37; --bad: #c4232b; --open: #7d4e00 } details, article { break-inside: avoid } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 62rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; margin: 0 0 .5rem } h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem } h3 { font-size: 1rem; margin: 0 }
p, ul { margin: .4rem 0 } ul { padding-left: 1.2rem }
code { font: .9em ui-monospace, monospace; background: var(--box); border-radius: 4px; padding: .1em .3em }
article { border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; margin: .75rem 0 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line) }
.dim { color: var(--dim) } .met { color: var(--good) } .contradicted { color: var(--bad) } .unmet { color: var(--open) }
`;

/** Renders the report as one HTML file without scripts and external requests. */
export async function renderHtml(report: Report): Promise<string> {
  const { items, sources, gate } = report;
  const by = (status: ReportItem['status']) => items.filter((item) => item.status === status);
  const open = by('unmet');
  const title = 'sandlot go-live report';
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<h1>Go-live report</h1>
<p class="${gate.passed ? 'met' : 'contradicted'}"><strong>${describeGate(report)}</strong></p>
<p class="dim">Made ${report.made_at} with sandlot ${report.sandlot}. A rehearsal only: sandlot sees the HTTP
traffic, not what your code does with it. The marketplace approves production access.</p>
${summary(report)}
${gateSection(report)}
${section('Contradictions', by('contradicted').map(openItem))}
${section('Open items', open.filter(({ required }) => required).map(openItem))}
${section('Open, not required', open.filter(({ required }) => !required).map(openItem))}
${section('Met items', by('met').length > 0 ? [metTable(by('met'))] : [])}
<h2>Sources</h2>
<table>
<thead><tr><th>Run</th><th>Label</th><th>Worlds</th><th>Requests</th><th>Webhook attempts</th><th>From</th><th>To</th></tr></thead>
<tbody>${sources.map(
    ({ run, label, worlds, requests, attempts, from, to }) =>
      html`<tr><td><code>${run}</code></td><td>${label ?? ''}</td><td>${worlds.join(', ')}</td><td>${requests}</td><td>${attempts}</td><td>${from ?? ''}</td><td>${to ?? ''}</td></tr>`,
  )}</tbody>
</table>
</main>
</body>
</html>
`;
  return String(page);
}

function summary({ items, features }: Report) {
  const groups = [...new Set(items.map(({ group }) => group))];
  const unused = Object.entries(features).flatMap(([name, use]) =>
    use === 'not_used' ? [name] : [],
  );
  const rows = groups.flatMap((group) => {
    const applying = items.filter(
      (item) => item.group === group && item.status !== 'not_applicable',
    );
    const met = applying.filter(({ status }) => status === 'met').length;
    if (applying.length === 0) return [];
    return html`<tr><td>${group}</td><td>${met}/${applying.length}</td></tr>`;
  });
  return html`<h2>Summary</h2>
<table><thead><tr><th>Group</th><th>Met</th></tr></thead><tbody>${rows}</tbody></table>
${unused.length > 0 ? html`<p>Not used: ${unused.join(', ')}</p>` : ''}`;
}

function gateSection({ gate, ignored }: Report) {
  const lines = [
    gate.file === null
      ? 'No gate file: every required item that applies must be met.'
      : `Gate file: ${gate.file}`,
    ...gate.failed.map((id) => `Failed: ${id}`),
    ...gate.waived.map(
      ({ id, reason, until }) =>
        `Waived: ${id}, “${reason}”${until === null ? '' : `, until ${until}`}`,
    ),
    ...gate.expired.map(({ id, until }) => `Ignored waiver: ${id}, it ended on ${until}`),
    ...gate.new_items.map((id) => `New since this gate: ${id}`),
    ...ignored.map((id) => `Ignored observations of ${id}: another version of sandlot made them`),
  ];
  return html`<h2>Gate</h2><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function section(heading: string, parts: readonly unknown[]) {
  return parts.length === 0 ? '' : html`<h2>${heading}</h2>${parts}`;
}

function openItem({ id, title, status, waived, level, contradictions, next }: ReportItem) {
  const { text, commands, domains = [] } = next;
  return html`<article id="${id}">
<h3>${title}</h3>
<p><code>${id}</code> <span class="${status}">${waived ? `${status}, waived` : status}</span> <span class="dim">${level}</span></p>
${contradictions.length > 0 ? html`<ul>${contradictions.map(piece)}</ul>` : ''}
<p>Next: ${text}${domains.map((domain) => html` <code>${domain}</code>`)}</p>
${commands.length > 0 ? html`<ul>${commands.map((command) => html`<li><code>sandlot ${command}</code></li>`)}</ul>` : ''}
</article>`;
}

function metTable(items: readonly ReportItem[]) {
  return html`<table><thead><tr><th>Item</th><th>Seen</th><th>Evidence</th></tr></thead><tbody>${items.map(
    ({ id, title, count, evidence }) =>
      html`<tr id="${id}"><td>${title}<br><code>${id}</code></td><td>${formatCount(count)}</td><td>${evidence.slice(-1).map(pieceText)}</td></tr>`,
  )}</tbody></table>`;
}

function piece(evidence: ReportEvidence) {
  return html`<li>${pieceText(evidence)}</li>`;
}

function pieceText({ id, world, at, text }: ReportEvidence) {
  return html`${id === null ? '' : html`<code>${id}</code> `}${escapeControls(text)} <span class="dim">${escapeControls(world)}, ${at}</span>`;
}

/** `1000+` where counting stopped. */
export function formatCount(count: number): string {
  return count >= MAX_COUNT ? `${MAX_COUNT}+` : String(count);
}
