/** How a person is told of new messages: of this browser, and of this person alone. */
import { signal } from '@preact/signals';
import { storedText, storeText } from '../../base/text-storage.ts';

export interface NoticeSettings {
  /** Notifications of the browser. */
  readonly shown: boolean;
  /** With the text of the message. */
  readonly withText: boolean;
  readonly sound: boolean;
}

const UNSET: NoticeSettings = { shown: false, withText: false, sound: false };

/** Counts the changes of this tab: what shows the settings reads them again. */
const changes = signal(0);

function nameOf(memberId: string): string {
  return `recado:notices:${memberId}`;
}

/** Read each time: another tab may have changed them. */
export function noticeSettings(memberId: string): NoticeSettings {
  void changes.value;
  const stored = storedText(nameOf(memberId));
  const kept: Partial<NoticeSettings> = stored === '' ? {} : JSON.parse(stored);
  return { ...UNSET, ...kept };
}

export function changeNotices(memberId: string, change: Partial<NoticeSettings>): void {
  const settings = { ...noticeSettings(memberId), ...change };
  storeText(nameOf(memberId), JSON.stringify(settings));
  changes.value += 1;
}
