/** What one message's entry knows of its thread. */
import type { ComponentChildren } from 'preact';
import type { Message } from '../../../../../shared/api/message.ts';
import type { PanelConversation } from './api.ts';
import type { Reactions } from './reactions.ts';

export interface Around {
  readonly conversation: PanelConversation;
  readonly reactions: Reactions;
  /** The message that was led to last; empty: none was. */
  readonly foundId: string;
  /** On screen or read before; null: it cannot be read; undefined: not yet. */
  readonly find: (id: string) => Message | null | undefined;
  /** In a page that has been read. */
  readonly isShown: (id: string) => boolean;
  readonly want: (id: string) => void;
  /** Opens a form over the thread once its script has come; `close` ends it. */
  readonly open: (load: (close: () => void) => Promise<ComponentChildren>) => void;
  /** Shows a message, however old. */
  readonly lead: (id: string) => void;
}
