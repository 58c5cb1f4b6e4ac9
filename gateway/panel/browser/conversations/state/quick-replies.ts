/** Texts that the team keeps for answers: found by their words, and filled in for a contact. */
import type { Contact } from '../../../../../shared/api/contact.ts';
import { foldText } from '../../../../../shared/text/fold.ts';
import { call, type Refused } from '../../base/call.ts';
import { session } from '../../session.ts';
import type { Data, PanelConversation } from './api.ts';

export const REPLIES_PATH = '/panel/api/quick-replies';

export interface QuickReply {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** Those whose title has every word, then those that have them in their text too. */
export function foundReplies(
  replies: readonly QuickReply[],
  written: string,
): readonly QuickReply[] {
  const words = foldText(written).split(/\s+/).filter(Boolean);
  const hits = (text: string) => words.every((word) => foldText(text).includes(word));
  const titled = replies.filter(({ title }) => hits(title));
  const others = replies.filter((each) => !titled.includes(each));
  return [...titled, ...others.filter(({ title, text }) => hits(`${title} ${text}`))];
}

/** A template of Liquid, as flows write them. */
const TEMPLATE = /\{\{|\{%/;

export type Filled =
  | { readonly text: string }
  /** A template that cannot be read, or does too much. */
  | { readonly failed: string }
  | { readonly refused: Refused };

/** Null for a text that is no template. */
export function fill(text: string, conversation: PanelConversation): Promise<Filled> | null {
  return TEMPLATE.test(text) ? render(text, conversation) : null;
}

async function render(text: string, conversation: PanelConversation): Promise<Filled> {
  const path = `/panel/api/contacts/${encodeURIComponent(conversation.contact.id)}`;
  const [read, { filledFor }] = await Promise.all([
    call<Data<Contact>>('GET', path),
    import('./filled-reply.ts'),
  ]);
  if (!read.ok) return { refused: read.refused };
  const { organization } = session.peek() ?? {};
  return filledFor(text, {
    conversation,
    contact: read.body.data,
    organization: organization ?? null,
  });
}
