/** Tags in writing: each with a button that takes it away, and a box for one more. */
import { isolated } from '../base/isolated.tsx';
import { Field } from '../base/parts.tsx';
import { TEXT } from '../sentences.ts';
import { withTag } from './contact-change.ts';

const { people: words } = TEXT;
const TAG_MAX_CHARS = 40;

interface TagListProps {
  readonly tags: readonly string[];
  readonly onTags: (tags: readonly string[]) => void;
  /** In the box, and not yet in the list. */
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
}

export function TagList({ tags, onTags, typed, onTyped }: TagListProps) {
  const add = () => {
    onTags(withTag(tags, typed));
    onTyped('');
  };
  // Enter adds the tag; it saves where there is none to add.
  const onEnter = () => {
    if (typed.trim() === '') return false;
    add();
    return true;
  };
  return (
    <div class="field">
      <h3 class="label">{words.tags}</h3>
      <ul class="row" aria-label={words.tags}>
        {tags.map((tag) => (
          <li key={tag} class="tag tag-edit">
            {isolated(tag)}
            <button
              type="button"
              class="button small quiet"
              aria-label={words.removeTag(isolated(tag))}
              onClick={(event) => {
                const list = event.currentTarget.closest('ul');
                onTags(tags.filter((each) => each !== tag));
                list?.parentElement?.querySelector('input')?.focus();
              }}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <div class="with-button">
        <Field
          label={words.newTag}
          value={typed}
          onValue={onTyped}
          maxLength={TAG_MAX_CHARS}
          onEnter={onEnter}
        />
        <button type="button" class="button" aria-disabled={typed.trim() === ''} onClick={add}>
          {words.addTag}
        </button>
      </div>
    </div>
  );
}
