/**
 * Content of a message to be sent, as the log keeps it: kind, text and structure (D288). The text
 * is what a person reads, whatever the network makes of the content.
 */
import { SENTENCES } from '../../../shared/api/sentences.ts';
import {
  type FallbackTemplate,
  type StoredMedia,
  type StoredMessage,
  WINDOW_CLOSED_CODE,
} from '../../../shared/message.ts';
import type { MessageContent, TemplateMessage } from '../../../shared/message-content.ts';
import {
  contactCardsText,
  interactiveText,
  locationText,
} from '../../../shared/text/content-text.ts';
import type { MessageKind } from '../../../shared/vocabulary.ts';
import {
  type Accepted,
  type ConversationState,
  decideSend,
  type OutboundDraft,
} from './conversation.ts';

export type DraftContent = Omit<OutboundDraft, 'authorLabel' | 'origin'>;

/** The file of a message, or of its template's header. */
export interface AttachedFile {
  readonly kind: MessageKind;
  readonly media: StoredMedia | null;
}

export const NO_FILE: AttachedFile = { kind: 'text', media: null };

type Structured = Exclude<MessageContent, { readonly type: 'template' | 'answer' }>;

/** A reaction names its target as an inbound one does, by `replyToId`. */
export function structuredDraft(content: Structured): DraftContent {
  switch (content.type) {
    case 'interactive':
      return { ...NO_FILE, text: interactiveText(content.interactive), content };
    case 'reaction': {
      const { messageId: replyToId, emoji: text } = content.reaction;
      return { kind: 'reaction', media: null, text, replyToId, content };
    }
    case 'location':
      return { kind: 'location', media: null, text: locationText(content.location), content };
    case 'contacts':
      return { kind: 'contact', media: null, text: contactCardsText(content.contacts), content };
    default:
      return content satisfies never;
  }
}

/** A template as `checkTemplate` arranged it, with its header's file. */
export function templateDraft(
  { message, text }: { readonly message: TemplateMessage; readonly text: string },
  { kind, media }: AttachedFile,
): DraftContent {
  return { kind, media, text, content: { type: 'template', template: message } };
}

/** Whether the message is a template that a contact may have asked not to get. */
export function isMarketingTemplate({ content }: Pick<StoredMessage, 'content'>): boolean {
  return content?.type === 'template' && content.template.marketing === true;
}

/** The template alone: it quotes nothing, and nothing takes its place. */
export function fallbackDraft({ template, text, kind, media }: FallbackTemplate): DraftContent {
  return templateDraft({ message: template, text }, { kind, media });
}

/**
 * Problem of a message that is to be quoted, or reacted to (`known`: the network must have it). One
 * that is still on its way may be quoted: it goes first.
 */
export function referenceProblem(
  message: StoredMessage | undefined,
  { known }: { readonly known: boolean },
): string | null {
  const isOther = message === undefined || message.direction === 'note';
  if (isOther || message.kind === 'reaction') return SENTENCES.quotedUnknown;
  const isOnItsWay = message.status === 'queued' || message.status === 'sending';
  const isFine = message.externalId !== null || (isOnItsWay && !known);
  return isFine ? null : SENTENCES.notOnNetwork;
}

/** Whether the network has refused the message for the window, and its template is to be sent. */
export function isReplaceable(
  message: StoredMessage,
): message is StoredMessage & { readonly fallback: FallbackTemplate } {
  const { status, error, fallback } = message;
  return status === 'failed' && error?.code === WINDOW_CLOSED_CODE && fallback !== undefined;
}

/** Whether an opt-out ends it: a caller's own goes all the same, as any of a caller's (D19). */
export function isEndedByOptOut({ origin, schedule, bulk }: StoredMessage): boolean {
  return origin === 'flow' || schedule !== undefined || bulk !== undefined;
}

/** Appends the template in place of a refused message; the author stays. */
export function decideFallback(
  state: ConversationState,
  refused: { readonly id: string; readonly message: StoredMessage },
  now: number,
): Accepted | null {
  const { id: replacesId, message } = refused;
  if (!isReplaceable(message)) return null;
  const { author, origin, fallback, bulk } = message;
  const draft = {
    ...fallbackDraft(fallback),
    ...{ replacesId, authorLabel: author.label, origin },
    ...(bulk ? { bulk } : {}),
  };
  const sent = decideSend(state, draft, now);
  // It is no answer to what the contact may have written meanwhile.
  const { unread } = state;
  const { schedule } = message;
  const shown = { ...sent.message, author, ...(schedule ? { schedule } : {}) };
  return { ...sent, message: shown, state: { ...sent.state, unread } };
}
