/**
 * Tells of new messages: by a sound, and by notifications of the browser.
 *
 * 1. One tab tells: the one that holds the event stream.
 * 2. A notification is shown while no tab of the panel is in sight.
 */
import { isolated } from '../../base/isolated.tsx';
import { go, place } from '../../base/router.ts';
import { after, freshId } from '../../clock.ts';
import { previewOf } from '../../conversations/preview.ts';
import { nameOf, type PanelConversation } from '../../conversations/state/api.ts';
import { phoneOf } from '../../format.ts';
import { leadsTabs } from '../../live.ts';
import { TEXT } from '../../sentences.ts';
import { noticeSettings } from './settings.ts';
import { ring } from './sound.ts';

/** So long the other tabs have to say that they are in sight. */
const LOOK_MS = 300;

export type Permission = 'granted' | 'default' | 'denied' | 'insecure' | 'unable';

/** What the browser allows; over plain http it allows nothing. */
export function permission(): Permission {
  if (!window.isSecureContext) return 'insecure';
  return 'Notification' in window ? Notification.permission : 'unable';
}

type Look =
  | { readonly type: 'asks'; readonly id: string }
  | { readonly type: 'sees'; readonly id: string };

const looks = new BroadcastChannel('recado-looks');
const seen = new Set<string>();

looks.addEventListener('message', ({ data }: MessageEvent<Look>) => {
  if (data.type === 'sees') seen.add(data.id);
  else if (isInSight()) looks.postMessage({ type: 'sees', id: data.id } satisfies Look);
});

function isInSight(): boolean {
  return document.visibilityState === 'visible';
}

async function isAnyInSight(): Promise<boolean> {
  if (isInSight()) return true;
  const id = freshId();
  looks.postMessage({ type: 'asks', id } satisfies Look);
  await new Promise<void>((resume) => after(LOOK_MS, resume));
  return seen.delete(id);
}

export async function announce(
  memberId: string,
  arrived: readonly PanelConversation[],
): Promise<void> {
  const told = arrived.filter(({ id }) => !(isInSight() && place.value.path.endsWith(`/${id}`)));
  if (told.length === 0 || !leadsTabs()) return;
  const { shown, withText, sound } = noticeSettings(memberId);
  if (sound) ring();
  if (!shown || permission() !== 'granted' || (await isAnyInSight())) return;
  for (const conversation of told) show(conversation, withText);
}

/** One for each conversation: a further message takes the place of the former one. */
function show(conversation: PanelConversation, withText: boolean): void {
  const { id, contact, lastMessagePreview } = conversation;
  const text = withText ? previewOf(lastMessagePreview) : TEXT.notices.message;
  try {
    const notice = new Notification(isolated(nameOf(contact, phoneOf(contact.phone))), {
      body: isolated(text),
      tag: id,
    });
    notice.addEventListener('click', () => {
      window.focus();
      go(`/conversas/${id}`);
      notice.close();
    });
  } catch (fault) {
    // Browsers of phones show none without a worker: the number in the title is left.
    console.warn(fault);
  }
}
