/** The act behind "Reenviar mensagem": its script is fetched at the first click. */
import type { Message } from '../../../../../shared/api/message.ts';
import type { Template } from '../../../../../shared/api/template.ts';
import type { Refused } from '../../base/call.ts';
import { TEXT } from '../../sentences.ts';
import type { PanelConversation } from '../state/api.ts';
import { PENDING_MAX, send } from '../state/pending.ts';
import { type Draft, restored } from '../state/pending-storage.ts';
import { isResent, resendKey } from '../state/resent.ts';
import { contentOf } from './content.ts';

export interface Resending {
  readonly message: Message;
  readonly conversation: PanelConversation;
  readonly memberId: string;
}

/** `toFill`: a template whose values the member writes anew. */
type Outcome = 'sent' | { readonly refused: Refused } | { readonly toFill: Template };

export async function resend(resending: Resending): Promise<Outcome> {
  const { message, conversation, memberId } = resending;
  // Before a file is uploaded or a form is filled in vain.
  const refused = refusalElsewhere(resending);
  if (refused) return { refused };
  const target = { channelId: conversation.channel.id, key: resendKey(memberId, message.id) };
  const again = await contentOf(message, target);
  if (!again.ok) return { refused: again.refused };
  if ('template' in again.body) return { toFill: again.body.template };
  return post(resending, again.body.content);
}

export function post(
  resending: Resending,
  content: Pick<Draft, 'text' | 'file'> & Partial<Draft>,
): 'sent' | { readonly refused: Refused } {
  const { message, conversation } = resending;
  const { id, replyToId } = message;
  const refused = refusalElsewhere(resending);
  if (refused) return { refused };
  const place = { conversationId: conversation.id, channelId: conversation.channel.id };
  const reply = replyToId === null ? {} : { replyToId };
  if (send({ ...place, note: false, resends: id, ...reply, ...content })) return 'sent';
  return { refused: refusalOf(TEXT.composer.tooMany(PENDING_MAX)) };
}

/** Another tab may have sent it meanwhile. */
function refusalElsewhere({ message: { id }, memberId }: Resending): Refused | null {
  if (isResent(memberId, id)) return refusalOf(TEXT.acts.resentElsewhere);
  const waits = restored(memberId).some(({ resends }) => resends === id);
  return waits ? refusalOf(TEXT.acts.resendElsewhere) : null;
}

function refusalOf(sentence: string): Refused {
  return { status: 409, sentence, issues: [] };
}
