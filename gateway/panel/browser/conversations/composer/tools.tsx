/** The composer's tools: one row of drawings at every width, each with a name and a tooltip. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Icon } from '../../base/icon.tsx';
import { TEXT } from '../../sentences.ts';

const { composer } = TEXT;

export const ICONS = {
  note: 'M3 2.5h10v7l-4 4H3zM13 9.5H9v4M5.5 5.5h5M5.5 8h2.5',
  attach:
    'M13 7.3l-5.4 5.4a3.2 3.2 0 0 1-4.5-4.5l5.7-5.7a2.1 2.1 0 0 1 3 3L6.2 11a1 1 0 0 1-1.5-1.5l5-5',
  emoji:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.3 9.3c.6 1.3 1.5 2 2.7 2s2.1-.7 2.7-2M6 6.2v.6M10 6.2v.6',
  record:
    'M8 1.5a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0v-4a2 2 0 0 1 2-2zM3.5 7.5a4.5 4.5 0 0 0 9 0M8 12v2.5',
  stop: 'M4 4h8v8H4z',
  quickReplies: 'M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z',
  templates: 'M2.5 2.5h11v11h-11zM2.5 6h11M6 6v7.5',
  schedule: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.3 1.6',
  send: 'M2.5 2.8L14 8 2.5 13.2 4 8zM4 8h5',
} as const;

interface ToolProps {
  readonly label: string;
  readonly icon: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly shortcut?: string;
}

export function Tool({ label, icon, onClick, disabled, pressed, shortcut }: ToolProps) {
  return (
    <button
      type="button"
      class="button quiet tool"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      aria-keyshortcuts={shortcut}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon path={icon} />
    </button>
  );
}

interface ToolsProps {
  readonly note: boolean;
  readonly onNote: (note: boolean) => void;
  readonly onFiles: (files: Iterable<File>) => void;
  /** Further tools, before the button that sends. */
  readonly children: ComponentChildren;
}

export function Tools({ note, onNote, onFiles, children }: ToolsProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="tools">
      <Tool
        label={composer.note}
        icon={ICONS.note}
        pressed={note}
        shortcut="n"
        onClick={() => onNote(!note)}
      />
      <Tool label={composer.attach} icon={ICONS.attach} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles(currentTarget.files ?? []);
          currentTarget.value = '';
        }}
      />
      {children}
      <button
        type="submit"
        class="button main tool send"
        aria-label={composer.send}
        title={composer.send}
      >
        <Icon path={ICONS.send} />
      </button>
    </div>
  );
}
