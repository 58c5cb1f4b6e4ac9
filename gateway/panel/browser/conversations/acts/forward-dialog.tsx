/** A message goes on to another contact, over the same channel. */
import { useMemo, useState } from 'preact/hooks';
import type { Message } from '../../../../../shared/api/message.ts';
import { call, type Outcome, type Refused } from '../../base/call.ts';
import { FormDialog } from '../../base/dialog.tsx';
import { errorAt, errorBeside, wrongAt } from '../../base/field-errors.ts';
import { isolated } from '../../base/isolated.tsx';
import { Alert } from '../../base/parts.tsx';
import { freshId } from '../../clock.ts';
import { changed } from '../../live.ts';
import { ContactBox, NOBODY, type Recipient, recipientOf } from '../../people/contact-box.tsx';
import { TEXT } from '../../sentences.ts';
import type { Around } from '../state/around.ts';
import { uploadAgain } from '../state/file-again.ts';
import { tell } from '../state/told.ts';
import { lineOf } from './quote.tsx';

const { acts } = TEXT;

export interface ForwardDialogProps {
  readonly message: Message;
  readonly around: Around;
  readonly onClose: () => void;
}

export function ForwardDialog({ message, around, onClose }: ForwardDialogProps) {
  const [recipient, setRecipient] = useState<Recipient>(NOBODY);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const to = recipientOf(recipient);
  // The same for every try: a repeat sends no second message.
  const key = useMemo(freshId, [to?.phone]);
  const forward = async () => {
    if (to === null) {
      setRefused(wrongAt('phone', TEXT.recipient.nobody));
      return;
    }
    setBusy(true);
    const content = await contentOf(message);
    const outcome = content.ok
      ? await call('POST', '/api/v1/messages', {
          body: { channelId: around.conversation.channel.id, phone: to.phone, ...content.body },
          idempotencyKey: key,
        })
      : content;
    setBusy(false);
    if (!outcome.ok) return setRefused(outcome.refused);
    changed('conversation', '');
    tell(acts.forwarded(isolated(to.name)));
    onClose();
  };
  return (
    <FormDialog
      title={acts.forwardTitle}
      confirm={acts.forwardConfirm}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void forward()}
    >
      <blockquote class="quote">{isolated(lineOf(message))}</blockquote>
      <ContactBox
        recipient={recipient}
        onRecipient={setRecipient}
        error={errorAt(refused, 'phone')}
      />
      <Alert refused={errorBeside(refused, ['phone'])} />
    </FormDialog>
  );
}

type Content = Readonly<Record<string, unknown>>;

async function contentOf({ text, media, location }: Message): Promise<Outcome<Content>> {
  if (location !== undefined) return { ok: true, body: { location } };
  if (media === null) return { ok: true, body: { text } };
  const uploaded = await uploadAgain(media);
  if (!uploaded.ok) return uploaded;
  const caption = text === null || text === '' ? {} : { caption: text };
  return { ok: true, body: { mediaId: uploaded.body.mediaId, ...caption } };
}
