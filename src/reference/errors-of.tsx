import { type Answer, answerOf, type Document, type Operation } from './document.ts';
import { Inline } from './prose.tsx';

/** An error that an operation can answer. */
export interface ShownError {
  status: string;
  code: string;
  says: string;
  example: unknown;
  chosen: boolean;
}

/** The errors of an operation, by status. */
export function errorsOf(document: Document, operation: Operation): ShownError[] {
  return Object.entries(operation.responses).flatMap(([status, answer]) =>
    status < '400' ? [] : errorsIn(status, answerOf(document, answer)),
  );
}

function errorsIn(status: string, answer: Answer): ShownError[] {
  const examples = Object.values(answer.content ?? {})[0]?.examples ?? {};
  // A line per code: `code`: what it means.
  return [...answer.description.matchAll(/^`(\w+)`: (.*)$/gm)].map(([, code = '', says = '']) => ({
    status,
    code,
    says,
    example: examples[code]?.value,
    chosen: answer['x-emulator-choice'] === true,
  }));
}

export function ErrorTable({
  caption,
  errors,
}: {
  caption: string;
  errors: readonly ShownError[];
}) {
  return (
    <table class="members">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Code</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {errors.map(({ status, code, says }) => (
          <tr>
            <td>{status}</td>
            <th scope="row">
              <code>{code}</code>
            </th>
            <td>
              <Inline text={says} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
