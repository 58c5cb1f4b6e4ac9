/**
 * Quick replies by "/" at the beginning of the box: a list that is searched as one types. The box
 * keeps the focus; its text has the search.
 */
import { useEffect, useId, useLayoutEffect, useState } from 'preact/hooks';
import { isolated } from '../../base/isolated.tsx';
import { Option, useActive } from '../../base/option.tsx';
import { TEXT } from '../../sentences.ts';
import { foundReplies, type QuickReply } from '../state/quick-replies.ts';

const { composer } = TEXT;

interface SlashParts {
  readonly text: string;
  readonly replies: readonly QuickReply[];
  readonly onChosen: (reply: QuickReply) => void;
}

export interface Slash {
  readonly id: string;
  /** None: the list is closed. */
  readonly options: readonly QuickReply[];
  readonly active: number;
  readonly onChosen: (reply: QuickReply) => void;
  /** True for a key of the open list. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

export function useSlash({ text, replies, onChosen }: SlashParts): Slash {
  const id = useId();
  const [closed, setClosed] = useState(false);
  const asks = text.startsWith('/');
  const options = asks && !closed ? foundReplies(replies, text.slice(1)) : [];
  const { active, reach } = useActive(options, 0);
  useLayoutEffect(() => reach(-1), [text]);
  useLayoutEffect(() => {
    if (!asks) setClosed(false);
  }, [asks]);
  const onKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const chosen = options[active];
    if (!chosen || shiftKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined) reach((active + step + options.length) % options.length);
    else if (key === 'Enter' || key === 'Tab') onChosen(chosen);
    else if (key === 'Escape') setClosed(true);
    else return false;
    return true;
  };
  return { id, options, active, onChosen, onKey };
}

/** Attributes of the box whose text the list goes by. */
export function attributesOf({ id, options, active }: Slash) {
  if (options.length === 0) return { 'aria-autocomplete': 'list' } as const;
  return {
    'aria-autocomplete': 'list',
    'aria-controls': id,
    'aria-activedescendant': `${id}-${active}`,
  } as const;
}

export function SlashList({ slash: { id, options, active, onChosen } }: { readonly slash: Slash }) {
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  if (options.length === 0) return null;
  return (
    <div class="options slash-list" role="listbox" id={id} aria-label={composer.quickReplies}>
      {options.map((reply, index) => (
        <Option
          key={reply.id}
          id={`${id}-${index}`}
          active={index === active}
          onChosen={() => onChosen(reply)}
        >
          <span class="cut strong">{isolated(reply.title)}</span>{' '}
          <span class="cut soft small">{isolated(reply.text.split('\n')[0] ?? '')}</span>
        </Option>
      ))}
    </div>
  );
}
