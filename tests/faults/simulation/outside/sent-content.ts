/** Content other than text, as the networks of a world record and compare it. */
import type { MessageContent } from '../../../../shared/message-content.ts';
import type { OutboundContent, OutboundText } from '../../../../shared/ports/network.ts';

/** A message as it is handed to a network. */
export interface Sent extends OutboundText {
  readonly content?: string | null;
  /** The name of its template. */
  readonly template?: string;
}

/** Compared, and looked up. */
export function textOfContent(content: MessageContent | OutboundContent): string {
  switch (content.type) {
    case 'template':
      return JSON.stringify(content.template);
    case 'interactive':
      return JSON.stringify(content.interactive);
    case 'location':
      return JSON.stringify(content.location);
    case 'contacts':
      return JSON.stringify(content.contacts);
    case 'reaction':
      return `reaction ${'emoji' in content ? content.emoji : content.reaction.emoji}`;
    case 'answer':
      return content.answer.title;
    default:
      return content satisfies never;
  }
}

/** A reaction takes no id of ours. */
export function sentContent(message: OutboundContent): Sent {
  const { ownId, messageId, to } = message;
  const named = ownId === undefined || message.type === 'reaction' ? {} : { ownId };
  const template = message.type === 'template' ? { template: message.template.name } : {};
  return { messageId, to, text: textOfContent(message), ...named, ...template };
}
