import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { CodedError } from '../../kernel/errors.ts';
import { plain } from '../plain.ts';
import type { View } from '../reply.tsx';

/** What was asked for cannot be shown, and why. */
export function refusedView({ status, message }: Pick<CodedError, 'status' | 'message'>): View {
  return {
    title: 'Not here',
    status: status as ContentfulStatusCode,
    content: (
      <div class="empty bad">
        <h1>{status === 404 ? 'There is nothing here' : 'This was refused'}</h1>
        <p>
          <bdi>{plain(message)}</bdi>
        </p>
        <p>
          <a href="/_sandbox/">To the overview of the default world</a>
        </p>
      </div>
    ),
  };
}
