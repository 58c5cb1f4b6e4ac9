/** Button of a new conversation, with whomever or with one contact. */
import { Missing } from '../base/parts.tsx';
import { useLater } from '../base/use-later.ts';
import type { Found } from '../people/contact-box.tsx';
import { TEXT } from '../sentences.ts';

interface NewConversationProps {
  readonly contact: Found | null;
  /** Beside a search there is room for a sign only. */
  readonly narrow?: boolean;
}

export function NewConversation({ contact, narrow = false }: NewConversationProps) {
  const form = useLater(
    async () => (await import('./new-conversation-dialog.tsx')).NewConversationDialog,
  );
  const { title } = TEXT.newConversation;
  return (
    <>
      <button
        type="button"
        class="button small"
        {...(narrow ? { 'aria-label': title, title } : {})}
        onClick={form.open}
      >
        {narrow ? '+' : title}
      </button>
      <Missing failed={form.failed} />
      {form.Part ? <form.Part contact={contact} onClose={form.close} /> : null}
    </>
  );
}
