import { html, raw } from 'hono/html';
import { escapeControls } from '../../kernel/printable.ts';
import { describeGate, describeList, WHERE_TO_RUN } from './describe.ts';
import { type Next, nextLines } from './next.ts';
import { MAX_COUNT } from './observations.ts';
import {
  countByGroup,
  isOpen,
  isOptional,
  type Report,
  type ReportEvidence,
  type ReportItem,
} from './report.ts';
import { REPORT_STYLE } from './report-style.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
/** The gate names at most so many failed items; each is described below it. */
const MAX_FAILED = 8;
const MAX_SOURCES = 200;
const MAX_ESCAPED = 300;

/** Renders the report as one HTML file without scripts and external requests. */
export async function renderHtml(report: Report): Promise<string> {
  const { items, sources, gate, sandlot, made_at: madeAt } = report;
  const by = (status: ReportItem['status']) => items.filter((item) => item.status === status);
  const contradicted = by('contradicted');
  const unmet = by('unmet');
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Go-live report: ${gate.passed ? 'passed' : 'failed'}</title>
<style>${raw(REPORT_STYLE)}</style>
</head>
<body>
<main>
<h1>Go-live report</h1>
<p class="result ${gate.passed ? 'good' : 'bad'}">${gate.passed ? '✓' : '✗'} ${describeGate(report)}</p>
<p class="dim">${shortTime(madeAt)}, sandlot ${sandlot}. A rehearsal only: sandlot sees the HTTP traffic, not what your
code does with it. The marketplace approves production access.</p>
${summary(report)}
${gateSection(report)}
${section('Contradictions', contradicted, 'Requests or webhook responses that were wrong. Later success does not remove them. After a fix, run the tests again, or `sandlot golive clear ID`.')}
${section(
  'Open items',
  unmet.filter((item) => !isOptional(item)),
  `Not seen yet. Try each as shown.${report.base_url === null ? ` ${WHERE_TO_RUN}.` : ''}`,
)}
${section('Open, not required', unmet.filter(isOptional), 'Advice: nothing fails without these.')}
${metTable(by('met'))}
${sourceTable(sources)}
</main>
</body>
</html>
`;
  return String(page);
}

function summary(report: Report) {
  const names = (use: string) =>
    Object.entries(report.features).flatMap(([name, each]) => (each === use ? [name] : []));
  const used = names('used');
  const unused = names('not_used');
  return html`<h2>Summary</h2>
<ul class="groups">${countByGroup(report).map(
    ({ group, met, applying }) =>
      html`<li class="${met === applying ? 'good' : ''}"><b>${group}</b> ${met}/${applying}</li>`,
  )}</ul>
<p>${used.length > 0 ? html`Used: ${used.join(', ')}.` : 'No feature was used.'}${unused.length > 0 ? html` <span class="dim">Not used: ${unused.join(', ')}.</span>` : ''}</p>`;
}

function gateSection({ gate, ignored, items }: Report) {
  const failed = gate.failed.slice(0, MAX_FAILED);
  const more = gate.failed.length - failed.length;
  const isItem = new Set(items.map(({ id }) => id));
  const line = (name: string, what: unknown) => html`<li><b>${name}:</b> ${what}</li>`;
  return html`<h2>Gate</h2>
<ul class="plain">
${
  gate.file === null
    ? html`<li>No gate file: every <code>must</code> item that applies is required.</li>`
    : line('File', html`<code>${escapeControls(gate.file)}</code>`)
}
${
  failed.length === 0
    ? ''
    : line(
        'Failed',
        html`${failed.map((id, n) => html`${n > 0 ? ', ' : ''}${isItem.has(id) ? html`<a href="#${id}">${id}</a>` : id}`)}${more > 0 ? ` and ${more} more` : ''}`,
      )
}
${gate.waived.map(({ id, reason, until }) =>
  line(
    'Waived',
    html`<a href="#${id}">${id}</a>: ${escapeControls(reason)}${until === null ? '' : `, until ${until}`}`,
  ),
)}
${gate.expired.map(({ id, until }) => line('Ignored waiver', html`${id}: it ended on ${until}`))}
${gate.new_items.length > 0 ? line('New since this gate', gate.new_items.join(', ')) : ''}
${ignored.length > 0 ? line('Ignored, from another version of sandlot', escapeControls(describeList(ignored))) : ''}
</ul>`;
}

function section(heading: string, items: readonly ReportItem[], text: string) {
  if (items.length === 0) return '';
  return html`<h2>${heading} <span class="dim">${items.length}</span></h2>
<p class="dim">${withCode(text)}</p>
${items.map(openItem)}`;
}

function openItem(item: ReportItem) {
  const { id, title, status, waived, level, contradictions, next } = item;
  const tone = isOpen(item) ? (status === 'contradicted' ? 'bad' : 'open') : 'dim';
  return html`<article id="${id}">
<h3>${title}</h3>
<p><code>${id}</code> <span class="${tone}">${status}${waived ? ', waived' : ''}</span> <span class="dim">${level}</span></p>
${contradictions.length > 0 ? html`<ul class="plain">${contradictions.map((each) => html`<li>${piece(each)}</li>`)}</ul>` : ''}
${nextSteps(next)}
</article>`;
}

function nextSteps(next: Next) {
  return html`<ol>${nextLines(next).map((line) => {
    const at = line.indexOf('sandlot ');
    if (at < 0) return html`<li>${withCode(line)}</li>`;
    return html`<li>${line.slice(0, at)}<code class="command">${line.slice(at)}</code></li>`;
  })}</ol>`;
}

function withCode(text: string) {
  return text.split('`').map((part, n) => (n % 2 === 0 ? part : html`<code>${part}</code>`));
}

function metTable(items: readonly ReportItem[]) {
  if (items.length === 0) return '';
  return html`<h2>Met items <span class="dim">${items.length}</span></h2>
<table class="met"><thead><tr><th>Item</th><th>Seen</th><th>Newest evidence</th></tr></thead><tbody>${items.map(
    ({ id, title, count, evidence }) =>
      html`<tr id="${id}"><td>${title}<br><code>${id}</code></td><td>${formatCount(count)}</td><td>${evidence.slice(-1).map(piece)}</td></tr>`,
  )}</tbody></table>`;
}

function sourceTable(sources: Report['sources']) {
  return html`<h2>Sources</h2>
<table class="sources"><thead><tr><th>Run</th><th>Worlds</th><th>Requests</th><th>Webhook attempts</th><th>From</th><th>To</th></tr></thead><tbody>${sources
    .slice(0, MAX_SOURCES)
    .map(
      ({ run, label, worlds, requests, attempts, from, to }) =>
        html`<tr><td>${label === null ? '' : html`${escapeControls(label)} `}<code>${escapeControls(run)}</code></td><td>${escapeControls(describeList(worlds))}</td><td>${requests}</td><td>${attempts}</td><td>${from === null ? '' : shortTime(from)}</td><td>${to === null ? '' : shortTime(to)}</td></tr>`,
    )}</tbody></table>${sources.length > MAX_SOURCES ? html`<p>And ${sources.length - MAX_SOURCES} more.</p>` : ''}`;
}

function piece({ id, world, at, text }: ReportEvidence) {
  return html`${id === null ? '' : html`<code>${escapeControls(id)}</code> `}${clipped(text)} <span class="dim">${world === 'default' ? '' : `${escapeControls(world)}, `}${shortTime(at)}</span>`;
}

/** Escaped control characters take six times the space. */
function clipped(text: string): string {
  const escaped = escapeControls(text);
  return escaped.length <= MAX_ESCAPED ? escaped : `${escaped.slice(0, MAX_ESCAPED)}…`;
}

/** `2026-03-02 09:00:00Z` */
function shortTime(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}

/** `1000+` where counting stopped. */
export function formatCount(count: number): string {
  return count >= MAX_COUNT ? `${MAX_COUNT}+` : String(count);
}
