/** The composer's emoji: the chosen one stands at the caret. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Missing } from '../../base/parts.tsx';
import { useLater } from '../../base/use-later.ts';
import { TEXT } from '../../sentences.ts';
import { ICONS, Tool } from './tools.tsx';

interface EmojiToolProps {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly onText: (text: string) => void;
}

export function EmojiTool({ box, onText }: EmojiToolProps) {
  const picking = useLater(async () => {
    const { EmojiDialog } = await import('../../emoji/emoji-dialog.tsx');
    takeCaret();
    return EmojiDialog;
  });
  const chosen = useRef('');
  const caret = useRef<{ readonly from: number; readonly to: number } | null>(null);
  // When the picker appears: somebody may write on while it is fetched.
  const takeCaret = () => {
    const { selectionStart = 0, selectionEnd = 0 } = box.current ?? {};
    caret.current ??= { from: selectionStart, to: selectionEnd };
  };
  const open = () => {
    // A dialog gives the focus back to what had it.
    box.current?.focus();
    picking.open();
  };
  // Once the dialog is gone: a box behind an open one has no caret, and forgets the one it had.
  useLayoutEffect(() => {
    const own = box.current;
    if (picking.Part !== null || own === null || caret.current === null) return;
    const { from, to } = caret.current;
    caret.current = null;
    if (chosen.current === '') return own.setSelectionRange(from, to);
    own.setRangeText(chosen.current, from, to, 'end');
    chosen.current = '';
    onText(own.value);
  }, [picking.Part]);
  return (
    <>
      <Tool label={TEXT.emoji.label} icon={ICONS.emoji} onClick={open} />
      <Missing failed={picking.failed} />
      {picking.Part ? (
        <picking.Part
          onChosen={(unicode) => {
            chosen.current = unicode;
          }}
          onClose={picking.close}
        />
      ) : null}
    </>
  );
}
