/** How the person is told of new messages. */
import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../base/dialog.tsx';
import { Check } from '../../base/parts.tsx';
import { TEXT } from '../../sentences.ts';
import { type Permission, permission } from './announce.ts';
import { changeNotices, noticeSettings } from './settings.ts';
import { allowSound, ring } from './sound.ts';

const { notices } = TEXT;

interface NoticesDialogProps {
  readonly memberId: string;
  readonly onClose: () => void;
}

export function NoticesDialog({ memberId, onClose }: NoticesDialogProps) {
  const { shown, withText, sound } = noticeSettings(memberId);
  const [allowed, setAllowed] = useState(permission);
  const isOn = shown && allowed === 'granted';
  const toggle = async () => {
    if (isOn) return changeNotices(memberId, { shown: false });
    if (allowed === 'default') await Notification.requestPermission();
    setAllowed(permission());
    if (permission() === 'granted') changeNotices(memberId, { shown: true });
  };
  return (
    <Dialog title={notices.title} onClose={onClose}>
      <div class="form">
        <p class="soft">{notices.lead}</p>
        <Switch allowed={allowed} isOn={isOn} onToggle={() => void toggle()} />
        <Check
          text={notices.withText}
          checked={withText}
          onChecked={(chosen) => changeNotices(memberId, { withText: chosen })}
        />
        <Check
          text={notices.sound}
          checked={sound}
          onChecked={(chosen) => {
            changeNotices(memberId, { sound: chosen });
            allowSound();
            if (chosen) ring();
          }}
        />
        <p class="small soft">{notices.closed}</p>
      </div>
    </Dialog>
  );
}

interface SwitchProps {
  readonly allowed: Permission;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

/** Where the browser allows none, it says why. */
function Switch({ allowed, isOn, onToggle }: SwitchProps) {
  const reason = useId();
  const why = allowed === 'granted' || allowed === 'default' ? null : notices.reasons[allowed];
  return (
    <>
      <div class="row">
        <button
          type="button"
          class={isOn ? 'button' : 'button main'}
          aria-disabled={why !== null}
          aria-describedby={reason}
          onClick={() => (why === null ? onToggle() : undefined)}
        >
          {isOn ? notices.disable : notices.enable}
        </button>
      </div>
      <p id={reason} role="status" class={why === null && !isOn ? 'spoken' : 'notice'}>
        {why ?? (isOn ? notices.on : '')}
      </p>
    </>
  );
}
