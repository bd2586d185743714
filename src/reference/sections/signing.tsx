import { DEFAULT_CREDENTIAL } from '../../market/defaults.ts';
import { SECURITY_SCHEMES } from '../../openapi/signing.ts';
import { canonicalString } from '../../signing/canonical.ts';
import { MISTAKES } from '../../signing/diagnosis.ts';
import { partsOf, signRequest } from '../../signing/signature.ts';
import { Code, Paragraph, Prose, Table, TextSection } from '../components.tsx';
import { Signers } from '../snippets.tsx';

/** A request whose query needs most of the rules. */
const EXAMPLE = {
  method: 'GET',
  target: "/api/partner/v1/domains/search?q=it's+(big)!&limit=&b=2&b=10&a%20b=%C3%A9",
  timestamp: 1_767_603_600,
  nonce: '8f14e45f-ceea-467f-a9d4-b7c1e1f0a2d3',
  body: undefined,
};

export function Signing() {
  const parts = partsOf(EXAMPLE);
  return (
    <section id="signing" aria-labelledby="signing-title">
      <div class="two">
        <div class="stack text">
          <h2 id="signing-title">Signing</h2>
          <p>
            Every request has four headers. <a href="#postOrder">Recording an order</a> also needs{' '}
            <code>Idempotency-Key</code>.
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
          <Code label="Request" text={`${EXAMPLE.method} ${EXAMPLE.target}`} />
          <Code label="Canonical string: always six lines" text={canonicalString(parts)} />
          <Code
            label={`Signature with the secret ${DEFAULT_CREDENTIAL.secret}`}
            text={signRequest(DEFAULT_CREDENTIAL.secret, parts)}
          />
          <Paragraph text="`+` is a plus sign, not a space. A key without `=` has an empty value. The query is sorted after decoding, by code point, and encoded again, so you can send it in any order and encoding." />
          <Paragraph text="To check your client, `sandlot sign METHOD PATH` prints the canonical string and the headers, and `sandlot verify` finds the mistake in a curl command or a HAR file. The package contains test vectors in `fixtures/signature-vectors.json`." />
        </div>
      </div>
      <div class="stack signers" id="signers">
        <h3>Signers</h3>
        <Paragraph
          class="text"
          text="Each signer is complete except for the call, and needs no packages. “Copy program” beside an example copies the signer together with the call. The programs read `SANDLOT_URL`, `SANDLOT_KEY_ID` and `SANDLOT_SECRET`."
        />
        <Signers />
      </div>
    </section>
  );
}

export function Mistakes() {
  return (
    <TextSection
      id="mistakes"
      title="Signing mistakes"
      intro="A 401 `invalid_signature` names the mistake that produces exactly the signature it received, and none if no mistake does. `sandlot requests show` compares what was signed with what was expected."
    >
      <Table
        caption="Signing mistakes"
        hideCaption
        headings={['Mistake', 'Fix']}
        ids={MISTAKES.map(({ slug }) => `mistake-${slug}`)}
        rows={MISTAKES.map(({ slug, summary, fix }) => [
          <>
            {summary}
            <br />
            <code class="quiet">{slug}</code>
          </>,
          fix,
        ])}
      />
    </TextSection>
  );
}
