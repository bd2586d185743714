import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorHandling } from '../http/response.ts';
import { CodedError } from '../kernel/errors.ts';
import { notice } from './notice.tsx';
import type { Page } from './reply.tsx';

/** The page of a request that could not be served: what was wrong with it, or that it is not its fault. */
export function failurePage(error: unknown, { report, redact }: ErrorHandling): Page {
  if (error instanceof CodedError) {
    return notice({
      status: error.status as ContentfulStatusCode,
      tone: 'bad',
      heading: 'This request was refused',
      content: <p>{redact(error.message)}</p>,
    });
  }
  report(error);
  return notice({
    status: 500,
    tone: 'bad',
    heading: 'Something went wrong',
    content: <p>The fault is in the sandbox; its log says more. You have not paid anything.</p>,
  });
}
