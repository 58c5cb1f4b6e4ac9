/** Choice of an emoji: a search, groups as tabs, and a grid that arrows walk. */
import emoji from 'emojibase-data/pt/compact.json' with { type: 'json' };
import { useId, useRef, useState } from 'preact/hooks';
import { Field } from '../base/parts.tsx';
import { TEXT } from '../sentences.ts';
import { cellAt, type Emoji, foundEmoji } from './search.ts';

const { emoji: words } = TEXT;
/** As the style sheet has them: a narrow window has room for a finger on each. */
const COLUMNS = 7;
const FOUND_MAX = 140;
/** By the Unicode standard's number, each drawn by one of its own. */
const GROUPS = [
  [0, words.groups.smileys, '😀'],
  [1, words.groups.people, '👋'],
  [3, words.groups.nature, '🌱'],
  [4, words.groups.food, '🍎'],
  [5, words.groups.travel, '🚗'],
  [6, words.groups.activities, '⚽'],
  [7, words.groups.objects, '💡'],
  [8, words.groups.symbols, '❤️'],
  [9, words.groups.flags, '🏁'],
] as const;

export interface EmojiPickerProps {
  readonly onChosen: (unicode: string) => void;
}

export function EmojiPicker({ onChosen }: EmojiPickerProps) {
  const [written, setWritten] = useState('');
  const [group, setGroup] = useState(0);
  const id = useId();
  const isSearch = written.trim() !== '';
  const shown: readonly Emoji[] = isSearch
    ? foundEmoji(emoji, written).slice(0, FOUND_MAX)
    : emoji.filter((each) => each.group === group);
  const [, name = ''] = GROUPS.find(([number]) => number === group) ?? [];
  const onEnter = () => {
    const [first] = shown;
    if (isSearch && first) onChosen(first.unicode);
    return true;
  };
  return (
    <div class="emoji-picker">
      <Field label={words.search} value={written} onValue={setWritten} onEnter={onEnter} />
      {isSearch ? null : <Tabs {...{ id, group, onGroup: setGroup }} />}
      <p class={isSearch && shown.length === 0 ? 'soft' : 'spoken'} role="status">
        {isSearch ? words.found(shown.length) : ''}
      </p>
      <div {...(isSearch ? {} : { id, role: 'tabpanel' as const, 'aria-label': name })}>
        {shown.length === 0 ? null : (
          <Grid
            key={isSearch ? written : group}
            label={isSearch ? words.results : name}
            {...{ shown, onChosen }}
          />
        )}
      </div>
    </div>
  );
}

interface TabsProps {
  readonly id: string;
  readonly group: number;
  readonly onGroup: (group: number) => void;
}

function Tabs({ id, group, onGroup }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const at = GROUPS.findIndex(([number]) => number === group);
  const onKeyDown = (event: KeyboardEvent) => {
    const count = GROUPS.length;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1 }[event.key];
    const next = to === undefined ? undefined : GROUPS[(to + count) % count];
    if (!next) return;
    event.preventDefault();
    onGroup(next[0]);
    list.current?.querySelectorAll('button')[GROUPS.indexOf(next)]?.focus();
  };
  return (
    <div
      class="emoji-tabs"
      role="tablist"
      aria-label={words.label}
      ref={list}
      onKeyDown={onKeyDown}
    >
      {GROUPS.map(([number, name, drawn]) => (
        <button
          key={number}
          type="button"
          class="button quiet emoji"
          role="tab"
          aria-label={name}
          title={name}
          aria-selected={number === group}
          aria-controls={number === group ? id : undefined}
          tabIndex={number === group ? 0 : -1}
          onClick={() => onGroup(number)}
        >
          {drawn}
        </button>
      ))}
    </div>
  );
}

interface GridProps extends EmojiPickerProps {
  readonly label: string;
  readonly shown: readonly Emoji[];
}

function Grid({ label, shown, onChosen }: GridProps) {
  const [active, setActive] = useState(0);
  const grid = useRef<HTMLUListElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const place = { from: active, columns: COLUMNS, count: shown.length };
    const to = cellAt(event.key, place);
    if (to === null) return;
    event.preventDefault();
    setActive(to);
    grid.current?.querySelectorAll('button')[to]?.focus();
  };
  return (
    <ul class="emoji-grid" aria-label={label} ref={grid}>
      {shown.map(({ unicode, label: name }, index) => (
        <li key={unicode}>
          <button
            type="button"
            class="button quiet emoji"
            title={name}
            tabIndex={index === active ? 0 : -1}
            onFocus={() => setActive(index)}
            onKeyDown={onKeyDown}
            onClick={() => onChosen(unicode)}
          >
            {unicode}
          </button>
        </li>
      ))}
    </ul>
  );
}
