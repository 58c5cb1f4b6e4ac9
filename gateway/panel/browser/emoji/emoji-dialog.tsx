/** The composer's: an emoji for the text. */
import { Dialog } from '../base/dialog.tsx';
import { TEXT } from '../sentences.ts';
import { EmojiPicker, type EmojiPickerProps } from './picker.tsx';

interface EmojiDialogProps extends EmojiPickerProps {
  readonly onClose: () => void;
}

export function EmojiDialog({ onChosen, onClose }: EmojiDialogProps) {
  return (
    <Dialog title={TEXT.emoji.label} onClose={onClose}>
      <EmojiPicker
        onChosen={(unicode) => {
          onChosen(unicode);
          onClose();
        }}
      />
    </Dialog>
  );
}
