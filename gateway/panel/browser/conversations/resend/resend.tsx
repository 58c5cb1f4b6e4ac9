/** "Reenviar mensagem": what a failed message said goes out anew, as a message of its own, once. */
import { useState } from 'preact/hooks';
import type { Message } from '../../../../../shared/api/message.ts';
import type { Template } from '../../../../../shared/api/template.ts';
import type { Refused } from '../../base/call.ts';
import { Alert, Missing } from '../../base/parts.tsx';
import { useLater } from '../../base/use-later.ts';
import { TEXT } from '../../sentences.ts';
import { mayWrite, session } from '../../session.ts';
import type { PanelConversation } from '../state/api.ts';
import { PENDING_MAX, pending, send } from '../state/pending.ts';
import { type Draft, restored } from '../state/pending-storage.ts';
import { isResent } from '../state/resent.ts';

const { acts } = TEXT;

interface ResendProps {
  readonly message: Message;
  readonly conversation: PanelConversation;
}

export function Resend({ message, conversation }: ResendProps) {
  const memberId = session.value?.member?.id;
  if (!mayWrite() || memberId === undefined || message.deletedAt !== undefined) return null;
  if (message.media !== null && message.media.url === null) {
    return <p class="small">{acts.fileGone}</p>;
  }
  const given = pending.value.find(({ resends }) => resends === message.id);
  if (given?.messageId === null) {
    // A refused one stands in the thread, with its own choices.
    return <p class="small soft">{given.refused ? acts.resendRefused : acts.resending}</p>;
  }
  if (given || isResent(memberId, message.id)) return <p class="small soft">{acts.resent}</p>;
  return <Offer message={message} conversation={conversation} memberId={memberId} />;
}

interface OfferProps extends ResendProps {
  readonly memberId: string;
}

function Offer({ message, conversation, memberId }: OfferProps) {
  const { busy, refused, toFill, resend, post } = useResend({ message, conversation, memberId });
  const filling = useLater(
    async () => (await import('../composer/template-dialog.tsx')).TemplateDialog,
  );
  return (
    <div>
      <button
        type="button"
        class="button small"
        aria-disabled={busy}
        onClick={({ currentTarget }) => {
          const article = currentTarget.closest('article');
          // The button goes: its message keeps the focus.
          void resend(filling.open).then((sent) => {
            if (sent) article?.focus({ preventScroll: true });
          });
        }}
      >
        {acts.resend}
      </button>
      <Alert refused={refused} />
      <Missing failed={filling.failed} />
      {toFill && filling.Part ? (
        <filling.Part
          channelId={conversation.channel.id}
          chosen={toFill}
          onClose={filling.close}
          onSend={(template, text) => {
            filling.close();
            post({ template, text, file: null });
          }}
        />
      ) : null}
    </div>
  );
}

type Content = Pick<Draft, 'text' | 'file'> & Partial<Draft>;

function useResend({ message, conversation, memberId }: OfferProps) {
  const { id } = message;
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [toFill, setToFill] = useState<Template | null>(null);
  const refuse = (sentence: string) => setRefused({ status: 409, sentence, issues: [] });
  const post = (content: Content): boolean => {
    // Another tab may have sent it meanwhile.
    const waits = restored(memberId).some(({ resends }) => resends === id);
    if (waits || isResent(memberId, id)) return false;
    const { id: conversationId, channel } = conversation;
    const reply = message.replyToId === null ? {} : { replyToId: message.replyToId };
    const place = { conversationId, channelId: channel.id, note: false, resends: id };
    const taken = send({ ...place, ...reply, ...content });
    if (!taken) refuse(TEXT.composer.tooMany(PENDING_MAX));
    return taken;
  };
  /** True: it is on its way. */
  const resend = async (openTemplate: () => void): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setRefused(null);
    try {
      const { contentOf } = await import('./content.ts');
      const again = await contentOf(message, conversation.channel.id);
      if (!again.ok) setRefused(again.refused);
      else if ('content' in again.body) return post(again.body.content);
      else {
        setToFill(again.body.template);
        openTemplate();
      }
    } catch {
      refuse(TEXT.errors.screen);
    } finally {
      setBusy(false);
    }
    return false;
  };
  return { busy, refused, toFill, resend, post };
}
