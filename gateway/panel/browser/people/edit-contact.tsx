/** Button of a contact's form, and whether it was saved. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Contact } from '../../../../shared/api/contact.ts';
import { Missing } from '../base/parts.tsx';
import { useLater } from '../base/use-later.ts';
import { TEXT } from '../sentences.ts';

interface EditContactProps {
  readonly contact: Contact;
  /** Beside the button. */
  readonly children?: ComponentChildren;
}

export function EditContact({ contact, children }: EditContactProps) {
  const [saved, setSaved] = useState(false);
  const form = useLater(async () => (await import('./contact-dialog.tsx')).ContactDialog);
  useLayoutEffect(() => setSaved(false), [contact.id]);
  return (
    <>
      <div class="row">
        <button
          type="button"
          class="button small"
          onClick={() => {
            setSaved(false);
            form.open();
          }}
        >
          {TEXT.people.edit}
        </button>
        {children}
      </div>
      <Missing failed={form.failed} />
      <p role="status" class={saved ? 'notice' : 'spoken'}>
        {saved ? TEXT.contacts.saved : ''}
      </p>
      {form.Part ? (
        <form.Part contact={contact} onClose={form.close} onSaved={() => setSaved(true)} />
      ) : null}
    </>
  );
}
