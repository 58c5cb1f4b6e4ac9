/** "Reenviar mensagem": what a failed message said goes out anew, as a message of its own, once. */
import { useEffect, useState } from 'preact/hooks';
import type { Message } from '../../../../../shared/api/message.ts';
import type { Template } from '../../../../../shared/api/template.ts';
import type { Refused } from '../../base/call.ts';
import { Alert } from '../../base/parts.tsx';
import { TEXT } from '../../sentences.ts';
import { mayWrite, session } from '../../session.ts';
import type { Around } from '../state/around.ts';
import { pending } from '../state/pending.ts';
import { isResent } from '../state/resent.ts';
import type { TemplateDraft } from '../state/template-values.ts';
import type { Resending } from './resend-message.ts';

const { acts } = TEXT;

interface ResendProps {
  readonly message: Message;
  readonly around: Around;
}

export function Resend({ message, around }: ResendProps) {
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
  return <Offer message={message} around={around} memberId={memberId} />;
}

type Act = typeof import('./resend-message.ts');

const load = () => import('./resend-message.ts');
/** A script that did not come is asked for again at the click, which tells of it. */
const preload = () =>
  load().then(
    () => true,
    () => false,
  );

interface OfferProps extends ResendProps {
  readonly memberId: string;
}

function Offer({ message, around, memberId }: OfferProps) {
  const resending: Resending = { message, conversation: around.conversation, memberId };
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  // The click may come while the panel is away.
  useEffect(() => void preload(), []);
  const settle = (outcome: ReturnType<Act['post']>) => {
    setRefused(outcome === 'sent' ? null : outcome.refused);
  };
  /** A template is filled before it goes. */
  const fill = (chosen: Template, post: Act['post']) =>
    around.open(async (close) => {
      const { TemplateDialog } = await import('../composer/template-dialog.tsx');
      const onSend = (template: TemplateDraft, text: string) => {
        close();
        settle(post(resending, { template, text, file: null }));
      };
      const channelId = around.conversation.channel.id;
      return <TemplateDialog {...{ channelId, chosen, onSend }} onClose={close} />;
    });
  const resend = async (article: HTMLElement | null) => {
    if (busy) return;
    setBusy(true);
    try {
      const { resend: act, post } = await load();
      const outcome = await act(resending);
      if (outcome !== 'sent' && 'toFill' in outcome) fill(outcome.toFill, post);
      else settle(outcome);
      // The button goes: its message keeps the focus.
      if (outcome === 'sent') article?.focus({ preventScroll: true });
    } catch {
      setRefused({ status: 0, sentence: TEXT.errors.screen, issues: [] });
    }
    setBusy(false);
  };
  return (
    <div>
      <button
        type="button"
        class="button small"
        aria-disabled={busy}
        onClick={({ currentTarget }) => void resend(currentTarget.closest('article'))}
      >
        {acts.resend}
      </button>
      <Alert refused={refused} />
    </div>
  );
}
