import { decodeEscapes } from '../../../kernel/percent.ts';
import { evidenceOf, isAccepted, type RequestActivity } from '../activity.ts';
import { advice, habitCounter, type ItemRule, must, type Rule } from '../rule.ts';

/** Number of correct requests of a client that show a habit. The texts of the items name it too. */
const MIN_REQUESTS = 20;
/** Consecutive rejected timestamps that show a wrong clock. */
const WRONG_TIMESTAMPS = 3;

/** Declares a rule that a request with a problem contradicts, and MIN_REQUESTS correct ones of a client meet. */
function afterManyRequests(
  problemOf: (request: RequestActivity) => string | false | undefined,
  isCorrect: (request: RequestActivity) => boolean = ({ admitted }) => admitted,
): Rule {
  return (observe) => {
    const count = habitCounter(observe, MIN_REQUESTS);
    return {
      request(request) {
        const problem = problemOf(request);
        if (problem) observe('contradicted', evidenceOf(request, problem));
        else if (isCorrect(request)) count(request);
      },
    };
  };
}

/** Declares a rule about a signing mistake that only some requests can show. */
function signingRule(isRelevant: (request: RequestActivity) => boolean, mistake: RegExp): Rule {
  return (observe) => ({
    request(request) {
      if (request.admitted && isRelevant(request)) observe('met', request);
      if (request.code !== 'invalid_signature' || request.injectedBy) return;
      if (request.mistake === undefined || !mistake.test(request.mistake)) return;
      observe('contradicted', evidenceOf(request, `mistake ${request.mistake}`));
    },
  });
}

function hasUnusualQuery({ query }: RequestActivity): boolean {
  const decoded = decodeEscapes(query);
  return decoded.includes(' ') && /[!'()*]|[^\0-\x7f]/.test(decoded);
}

export const REQUEST_RULES: readonly ItemRule[] = [
  must('request.fresh_nonce', {
    title: 'Send a new nonce with each request',
    met: '20 requests of one client were admitted.',
    contradicted: 'A nonce was used twice.',
    steps: ['Create a nonce for each attempt, retries included. 20 requests show it.'],
    rule: afterManyRequests(
      ({ code, injectedBy }) => code === 'replay_detected' && !injectedBy && 'nonce used before',
    ),
  }),
  must('request.clock', {
    title: 'Send the current time',
    met: '20 requests of one client were admitted.',
    contradicted: 'Three timestamps in a row were rejected.',
    steps: [
      'Send Unix seconds in X-Service-Timestamp. 20 requests show it. Check the clock with:',
      'sandlot doctor',
    ],
    rule(observe) {
      const count = habitCounter(observe, MIN_REQUESTS);
      const wrong = new Map<string, RequestActivity[]>();
      return {
        request(request) {
          const { client, admitted } = request;
          if (request.code === 'invalid_timestamp' && !request.injectedBy) {
            const requests = [...(wrong.get(client) ?? []), request];
            wrong.set(client, requests);
            if (requests.length === WRONG_TIMESTAMPS) observe('contradicted', requests);
            return;
          }
          wrong.delete(client);
          if (admitted) count(request);
        },
      };
    },
  }),
  must('request.query_encoding', {
    title: 'Sign a query with special characters',
    needs: ['discovery'],
    met: "An admitted query had a space and one of ! ' ( ) * or a non-ASCII character.",
    contradicted: 'A signature was wrong because of the query.',
    steps: ['Search for `café (bar)!`.'],
    rule: signingRule(hasUnusualQuery, /^query_/),
  }),
  advice('request.body_bytes', {
    title: 'Sign a body with non-ASCII characters',
    needs: ['sales'],
    met: 'An admitted body had a non-ASCII character.',
    contradicted: 'A signature was wrong because of the body.',
    steps: ['Place an order for a buyer named `Zoë`.'],
    rule: signingRule(
      ({ method, hasNonAsciiBody }) => /^(POST|PUT)$/.test(method) && hasNonAsciiBody,
      /^(body_|empty_body_)/,
    ),
  }),
  must('request.secret_kept', {
    title: 'Never send the secret',
    met: '20 admitted requests of one client did not contain a secret.',
    contradicted: 'A request contained the secret of a credential.',
    steps: ['Keep the secret on your server. 20 requests without it show it.'],
    rule: afterManyRequests(({ hasSecret }) => hasSecret && 'it has the secret of a credential'),
  }),
  advice('request.known_endpoints', {
    title: 'Request only endpoints that exist',
    met: '20 requests of one client were admitted.',
    contradicted: 'A request was to an endpoint that does not exist.',
    steps: [
      'Send 20 requests to endpoints that exist. List the others with:',
      'sandlot requests list --where endpoint:unknown',
    ],
    rule: afterManyRequests(({ failedCheck }) => failedCheck === 'route' && 'no such endpoint'),
  }),
  advice('request.known_fields', {
    title: 'Send only known fields and parameters',
    met: '20 admitted requests of one client had no unknown parameters or fields.',
    contradicted: 'An accepted request had an unknown parameter or field.',
    steps: [
      'Send 20 requests without a warning. Read the warnings of a request with:',
      'sandlot requests show ID',
    ],
    rule: afterManyRequests(
      (request) => isAccepted(request) && request.warnings[0],
      ({ admitted, warnings }) => admitted && warnings.length === 0,
    ),
  }),
];
