import { html, raw } from 'hono/html';
import { stylesheet } from '../../ui/assets.ts';
import { PageHeader } from '../../ui/layout.tsx';
import { Timestamp } from '../../ui/text.tsx';
import { COMMAND_PREFIX } from './item.ts';
import { describeGate, REHEARSAL, type Report } from './report.ts';
import { ReportView } from './report-view.tsx';
import { STYLES } from './styles.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Renders the report as one HTML file without scripts and external requests. */
export async function renderHtml(report: Report): Promise<string> {
  const { text } = stylesheet('colors', 'base', 'layout', 'tables', 'components', 'responsive');
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta http-equiv="Content-Security-Policy" content={POLICY} />
        <title>{describeGate(report)}</title>
        <style>{raw(text + STYLES)}</style>
      </head>
      <body class="golive-file">
        <main>
          <PageHeader title="Go-live report">
            <Timestamp at={report.made_at} /> real time, sandlot {report.sandlot}. {REHEARSAL}
          </PageHeader>
          <ReportView
            report={report}
            command={(command) => (
              <p class="command">
                <code>{COMMAND_PREFIX + command}</code>
              </p>
            )}
          />
        </main>
      </body>
    </html>
  );
  return String(await html`<!doctype html>${page}\n`);
}
