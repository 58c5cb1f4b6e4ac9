/** What a member does with one message: answer, react, copy, forward. */
import { useState } from 'preact/hooks';
import type { Message } from '../../../../../shared/api/message.ts';
import { copied } from '../../base/copy.tsx';
import { Menu } from '../../base/menu.tsx';
import { TEXT } from '../../sentences.ts';
import { mayWrite } from '../../session.ts';
import type { Around } from '../state/around.ts';
import { replyTo } from '../state/replying.ts';
import { tell } from '../state/told.ts';
import { ReactionDialog } from './reactions.tsx';

const { acts } = TEXT;
/** The network does not know these, or takes nothing more about them. */
const UNSENT: readonly string[] = ['failed', 'cancelled', 'scheduled'];

interface MessageMenuProps {
  readonly message: Message;
  readonly around: Around;
}

export function MessageMenu({ message, around }: MessageMenuProps) {
  const [reacting, setReacting] = useState(false);
  const { text } = message;
  const forward = () =>
    around.open(async (close) => {
      const { ForwardDialog } = await import('./forward-dialog.tsx');
      return <ForwardDialog message={message} around={around} onClose={close} />;
    });
  const items = [
    ...(isAnswerable(message)
      ? [itemOf('reply', () => answer(around.conversation.id, message))]
      : []),
    ...(isAnswerable(message) && message.externalId !== null
      ? [itemOf('react', () => setReacting(true))]
      : []),
    ...(text === null ? [] : [itemOf('copy', () => void copy(text))]),
    ...(isForwardable(message) ? [itemOf('forward', forward)] : []),
  ];
  if (items.length === 0) return null;
  return (
    <>
      <Menu label={acts.menu} drawn="⋯" class="button small quiet message-menu" items={items} />
      {reacting ? (
        <ReactionDialog message={message} around={around} onClose={() => setReacting(false)} />
      ) : null}
    </>
  );
}

type Act = 'reply' | 'react' | 'copy' | 'forward';

function itemOf(key: Act, choose: () => void) {
  return { key, text: acts[key], choose };
}

function isAnswerable({ direction, deletedAt, status }: Message): boolean {
  const isOpen = direction !== 'note' && deletedAt === undefined && !UNSENT.includes(status);
  return isOpen && mayWrite();
}

function isForwardable({ direction, deletedAt, text, media }: Message): boolean {
  const isWhole = direction !== 'note' && deletedAt === undefined;
  return isWhole && mayWrite() && (text !== null || (media !== null && media.url !== null));
}

function answer(conversationId: string, message: Message): void {
  replyTo(conversationId, message);
  document.querySelector<HTMLElement>('[data-composer]')?.focus();
}

async function copy(text: string): Promise<void> {
  tell((await copied(text)) ? TEXT.copy.copied : TEXT.copy.failed);
}
