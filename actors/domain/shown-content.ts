/** Content of a message as the history and the events show it, beside its text (D288). */
import type { StoredMessage } from '../../shared/message.ts';
import type {
  ContactCard,
  Interactive,
  InteractiveAnswer,
  Location,
  Reaction,
} from '../../shared/message-content.ts';

export interface ShownContent {
  readonly template?: { readonly name: string; readonly language: string };
  readonly interactive?: Interactive | InteractiveAnswer;
  readonly reaction?: Reaction;
  readonly location?: Location;
  readonly contacts?: readonly ContactCard[];
  /** The refused message in whose place this one was sent. */
  readonly replacesId?: string;
}

type Shown = Pick<StoredMessage, 'kind' | 'text'> &
  Partial<Pick<StoredMessage, 'content' | 'replyToId' | 'replacesId'>>;

/** A reaction of either direction names its target by `replyToId`. */
export function shownContent({ kind, text, content, replyToId, replacesId }: Shown): ShownContent {
  const reaction =
    kind === 'reaction' ? { reaction: { messageId: replyToId ?? null, emoji: text ?? '' } } : {};
  const replaces = replacesId === undefined ? {} : { replacesId };
  return { ...(content ? structureOf(content) : {}), ...reaction, ...replaces };
}

function structureOf(content: NonNullable<StoredMessage['content']>): ShownContent {
  switch (content.type) {
    case 'template': {
      const { name, language } = content.template;
      return { template: { name, language } };
    }
    case 'interactive':
      return { interactive: content.interactive };
    case 'answer':
      return { interactive: content.answer };
    case 'location':
      return { location: content.location };
    case 'contacts':
      return { contacts: content.contacts };
    case 'reaction':
      return {};
    default:
      return content satisfies never;
  }
}
