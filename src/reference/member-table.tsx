import { Choice } from './choice.tsx';
import type { Member } from './members.ts';
import { Inline } from './prose.tsx';

/** Members of a record, or parameters of a call. */
export function MemberTable({
  caption,
  members,
  answered = false,
}: {
  caption: string;
  members: Member[];
  /** Of what is answered all is there, and what may be missing is worth a word. */
  answered?: boolean;
}) {
  if (members.length === 0) return null;
  return (
    <table class="members">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Notes</th>
        </tr>
      </thead>
      <tbody>
        {members.map(({ name, type, required, chosen, says }) => (
          <tr>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>
              {type}
              {required && !answered ? <span class="need"> required</span> : null}
              {answered && !required ? <span class="need"> not always there</span> : null}
            </td>
            <td>
              <Inline text={says.join(' ')} />
              {chosen ? <Choice /> : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
