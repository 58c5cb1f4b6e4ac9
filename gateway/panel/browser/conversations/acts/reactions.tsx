/** Reactions on a message, and the choice of one. */
import type { Message } from '../../../../../shared/api/message.ts';
import { Dialog } from '../../base/dialog.tsx';
import { isolated } from '../../base/isolated.tsx';
import { Missing } from '../../base/parts.tsx';
import { useLater } from '../../base/use-later.ts';
import { TEXT } from '../../sentences.ts';
import type { Around } from '../state/around.ts';
import { send } from '../state/pending.ts';
import type { ShownReaction } from '../state/reactions.ts';

const { acts } = TEXT;
const EMOJI = ['👍', '❤️', '😂', '😮', '😢', '🙏', '🎉', '👏'] as const;

export function Reactions({ shown }: { readonly shown: readonly ShownReaction[] | undefined }) {
  if (shown === undefined || shown.length === 0) return null;
  return (
    <p class="reactions">
      {shown.map(({ emoji, author, own }) => (
        <span key={String(own)} class="reaction" title={isolated(author ?? acts.you)}>
          <span class="spoken">{acts.reactions}: </span>
          {emoji}
        </span>
      ))}
    </p>
  );
}

interface ReactionDialogProps {
  readonly message: Message;
  readonly around: Around;
  readonly onClose: () => void;
}

export function ReactionDialog({ message: { id }, around, onClose }: ReactionDialogProps) {
  const { conversation, reactions } = around;
  const picking = useLater(async () => (await import('../../emoji/picker.tsx')).EmojiPicker);
  const own = reactions.get(id)?.find((each) => each.own);
  const react = (emoji: string) => {
    send({
      ...{ conversationId: conversation.id, channelId: conversation.channel.id },
      ...{ note: false, text: '', file: null, reaction: { messageId: id, emoji } },
    });
    onClose();
  };
  return (
    <Dialog title={acts.react} onClose={onClose}>
      <div class="row emoji-row">
        {EMOJI.map((emoji, index) => (
          <button
            key={emoji}
            type="button"
            class="button quiet emoji"
            aria-pressed={own?.emoji === emoji}
            data-first={index === 0}
            onClick={() => react(emoji)}
          >
            {emoji}
          </button>
        ))}
        {picking.Part ? null : (
          <button type="button" class="button quiet" onClick={picking.open}>
            {TEXT.emoji.more}
          </button>
        )}
      </div>
      <Missing failed={picking.failed} />
      {picking.Part ? <picking.Part onChosen={react} /> : null}
      {own ? (
        <button type="button" class="button small" onClick={() => react('')}>
          {acts.removeReaction}
        </button>
      ) : null}
    </Dialog>
  );
}

interface ReactionLineProps {
  readonly message: Message;
  readonly around: Around;
}

/** A reaction to what is not on screen; nothing where its message shows it. */
export function ReactionLine({ message: { author, reaction }, around }: ReactionLineProps) {
  const { messageId = null, emoji = '' } = reaction ?? {};
  if (emoji === '' || (messageId !== null && around.isShown(messageId))) return null;
  return (
    <p class="event-line small soft">
      {acts.reacted(isolated(author.label), emoji)}{' '}
      {messageId === null ? null : (
        <button type="button" class="button small quiet" onClick={() => around.lead(messageId)}>
          {acts.reactedBefore}
        </button>
      )}
    </p>
  );
}
