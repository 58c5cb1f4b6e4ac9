/** Opens the settings of the notices; it stands in the navigation. */
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../base/icon.tsx';
import { TEXT } from '../../sentences.ts';
import { NoticesDialog } from './notices-dialog.tsx';
import { noticeSettings } from './settings.ts';
import { allowSound } from './sound.ts';

export function NoticesButton({ memberId }: { readonly memberId: string }) {
  const [open, setOpen] = useState(false);
  useEffect(() => allowSoundByPress(memberId), [memberId]);
  return (
    <>
      <button
        type="button"
        class="button quiet notices"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon path="M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.5 14.5h3" />
        <span class="notices-name">{TEXT.notices.title}</span>
      </button>
      {open ? <NoticesDialog memberId={memberId} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** The first press in the page makes its sounds possible. */
function allowSoundByPress(memberId: string): () => void {
  const onPress = () => {
    if (noticeSettings(memberId).sound) allowSound();
    leave();
  };
  const leave = () => {
    document.removeEventListener('pointerdown', onPress);
    document.removeEventListener('keydown', onPress);
  };
  document.addEventListener('pointerdown', onPress);
  document.addEventListener('keydown', onPress);
  return leave;
}
