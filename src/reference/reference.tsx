import { lazily } from '../kernel/lazily.ts';
import { bundle, packageFile, script, stylesheet } from '../ui/assets.ts';
import { Document, htmlResponse } from '../ui/document.tsx';
import { urlInWorld } from '../world/urls.ts';

type Api = 'partner' | 'control';

const LABELS: Record<Api, string> = { partner: 'Partner API', control: 'Control API' };

/** Swagger UI from its npm package, with the colors of the other pages, and a script that signs what it sends. */
const assets = lazily(() => {
  const swagger = packageFile('swagger-ui-dist', 'swagger-ui.css');
  const styles = stylesheet('colors', 'base', 'reference');
  return bundle('/_sandbox/reference/assets', {
    'reference.css': { ...styles, text: `${swagger.text}\n${styles.text}` },
    'swagger-ui-bundle.js': packageFile('swagger-ui-dist', 'swagger-ui-bundle.js'),
    'reference.js': script('reference'),
    // What `reference.js` imports.
    'sign.js': script('sign'),
    'control-api.js': script('control-api'),
  });
});

/** Renders the reference of an API, with the credentials of a world. It sends requests to this sandbox only. */
export function referencePage(api: Api, world: string): Promise<Response> {
  const { folder } = assets();
  const page = (
    <Document
      title={`${LABELS[api]} reference · sandlot`}
      stylesheet={`${folder}reference.css`}
      script={`${folder}reference.js`}
    >
      <body>
        <a class="skip" href="#reference">
          Skip to content
        </a>
        <header class="top">
          <p class="brand">sandlot</p>
          <nav aria-label="APIs">
            <ul>
              {Object.entries(LABELS).map(([name, label]) => (
                <li>
                  <a
                    href={urlInWorld(world, '/reference', { api: name })}
                    aria-current={name === api ? 'page' : undefined}
                  >
                    {label}
                  </a>
                </li>
              ))}
              <li>
                <a href={`/_sandbox/openapi.json?api=${api}`}>OpenAPI</a>
              </li>
              <li>
                <a href={urlInWorld(world, '/')}>Dashboard</a>
              </li>
            </ul>
          </nav>
        </header>
        <main>
          {api === 'partner' && (
            <form class="signing" id="signing">
              <label for="credential">Sign requests as</label>
              <select id="credential" name="credential" autocomplete="off" />
              <output id="signing-status" for="credential" />
            </form>
          )}
          {/* Runs before the module, which uses what it defines. */}
          <script src={`${folder}swagger-ui-bundle.js`} />
          <div
            id="reference"
            data-api={api}
            data-credentials={urlInWorld(world, '/credentials', { limit: '100' })}
          >
            <noscript>This page needs JavaScript. The OpenAPI document does not.</noscript>
          </div>
        </main>
      </body>
    </Document>
  );
  return htmlResponse(page, {
    // Swagger UI sets styles, and its stylesheet has icons.
    policy:
      "script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; form-action 'none'",
  });
}

/** Responds with a stylesheet or a script. @returns undefined for any other name */
export function referenceAsset(version: string, name: string): Response | undefined {
  return assets().respond(version, name);
}
