import { DEFAULT_CREDENTIAL } from '../../market/defaults.ts';
import { SECURITY_SCHEMES } from '../../openapi/signing.ts';
import { canonicalString } from '../../signing/canonical.ts';
import { partsOf, signRequest } from '../../signing/signature.ts';
import { Code, InEveryLanguage, signerId } from '../code.tsx';
import { Inline, Prose } from '../prose.tsx';
import { signerOf } from '../snippets.ts';

/** A request whose query shows most of the rules. */
const SHOWN = {
  method: 'GET',
  target: "/api/partner/v1/domains/search?q=it's+(big)!&limit=&b=2&b=10&a%20b=é",
  timestamp: 1_767_603_600,
  nonce: '8f14e45f-ceea-467f-a9d4-b7c1e1f0a2d3',
};

/** How a request is signed, with a worked example and the signers. */
export function Signing() {
  const shown = { ...SHOWN, target: SHOWN.target.replace('é', '%C3%A9'), body: undefined };
  const parts = partsOf(shown);
  const signature = signRequest(DEFAULT_CREDENTIAL.secret, parts);
  return (
    <section id="signing" aria-labelledby="signing-title">
      <div class="two">
        <div class="stack text">
          <h2 id="signing-title">Signing</h2>
          <p>
            Every request carries four headers; a fifth, <code>Idempotency-Key</code>, belongs to{' '}
            <a href="#postOrder">recording orders</a>.
          </p>
          <dl class="headers">
            {Object.values(SECURITY_SCHEMES).map((scheme) => (
              <div>
                <dt>
                  <code>{String(scheme.name)}</code>
                </dt>
                <dd>
                  <Prose text={String(scheme.description)} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
        <div class="stack">
          <Code label="The request" text={`${shown.method} ${shown.target}`} />
          <Code
            label="Its canonical string: six lines, none of them left out"
            text={canonicalString(parts)}
          />
          <Code
            label={`Its signature, with the secret ${DEFAULT_CREDENTIAL.secret}`}
            text={signature}
          />
          <p>
            <Inline text="`+` is a plus sign, not a space. A key without `=` is a key with a blank value. The query is sorted after decoding, by code point, and encoded anew; send it in any order and spelling." />
          </p>
          <p>
            <Inline text="To compare with your own client: `sandlot sign METHOD PATH` prints the canonical string and the headers, `sandlot verify` says what is wrong with a curl line or the entries of a HAR file, and `fixtures/signature-vectors.json` in the package has vectors for tests." />
          </p>
        </div>
      </div>
      <div class="stack signers" id="signers">
        <h3>Signers to copy</h3>
        <p class="text">
          <Inline text="Each is a whole program but for its call, with nothing to install. “Copy program” beside an example below puts the signer in front of the call. They read `SANDLOT_URL`, `SANDLOT_KEY_ID` and `SANDLOT_SECRET`." />
        </p>
        <InEveryLanguage
          idOf={signerId}
          fileOf={({ partnerFile }) => partnerFile}
          textOf={(language) => signerOf(language)}
        />
      </div>
    </section>
  );
}
