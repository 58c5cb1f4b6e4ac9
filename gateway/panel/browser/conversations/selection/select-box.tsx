/** The checkbox of a row. It stands beside the row's link, and takes a range with Shift. */
import { isolated } from '../../base/isolated.tsx';
import { TEXT } from '../../sentences.ts';
import { mayWrite } from '../../session.ts';
import { type Row, select, selectedOf, selection } from './selection.ts';

export function SelectBox({ conversation }: { readonly conversation: Row }) {
  if (!mayWrite()) return null;
  const { id, name } = selectedOf(conversation);
  return (
    <label class="select-box">
      <input
        type="checkbox"
        data-id={id}
        aria-label={TEXT.conversations.select(isolated(name))}
        checked={selection.value.has(id)}
        onClick={({ currentTarget, shiftKey }) => {
          select(conversation, currentTarget.checked, shiftKey);
          // It may be one too many.
          currentTarget.checked = selection.value.has(id);
        }}
      />
    </label>
  );
}
