/** Tags of a row's contact: the first ones, and how many more there are. */
import { Isolated, isolated } from '../../base/isolated.tsx';
import { TEXT } from '../../sentences.ts';

const SHOWN_MAX = 2;

export function RowTags({ tags }: { readonly tags: readonly string[] }) {
  if (tags.length === 0) return null;
  const more = tags.length - SHOWN_MAX;
  return (
    <span class="row-tags" title={tags.map(isolated).join(', ')}>
      <span class="spoken">{TEXT.contact.tags}: </span>
      {tags.slice(0, SHOWN_MAX).map((tag) => (
        <span key={tag} class="tag">
          <Isolated text={tag} />
        </span>
      ))}
      {more > 0 ? (
        <span class="soft small">
          <span aria-hidden="true">+{more}</span>
          <span class="spoken">{TEXT.conversations.moreTags(more)}</span>
        </span>
      ) : null}
    </span>
  );
}
