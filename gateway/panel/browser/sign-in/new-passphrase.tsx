/** A new passphrase after a single-use link; it may be put off, or the link may not set one. */
import { useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { errorAt, errorBeside, wrongAt } from '../base/field-errors.ts';
import { Alert, Field, Form } from '../base/parts.tsx';
import { TEXT } from '../sentences.ts';
import { savePassphrase } from '../session.ts';

export function NewPassphrase({ onDone }: { readonly onDone: () => void }) {
  const [passphrase, setPassphrase] = useState('');
  const [repeated, setRepeated] = useState('');
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const submit = async () => {
    if (busy) return;
    if (passphrase !== repeated) {
      setRefused(wrongAt('repeated', TEXT.signIn.differ));
      return;
    }
    setBusy(true);
    setRefused(null);
    const answer = await savePassphrase(passphrase);
    setBusy(false);
    if (answer.ok) onDone();
    else setRefused(answer.refused);
  };
  return (
    <Form onSubmit={() => void submit()}>
      <h1>{TEXT.signIn.newTitle}</h1>
      <p class="soft">{TEXT.signIn.newLead}</p>
      <Field
        label={TEXT.signIn.newPassphrase}
        type="password"
        value={passphrase}
        onValue={setPassphrase}
        error={errorAt(refused, 'passphrase')}
        autocomplete="new-password"
        required
        focused
      />
      <Field
        label={TEXT.signIn.repeatPassphrase}
        type="password"
        value={repeated}
        onValue={setRepeated}
        error={errorAt(refused, 'repeated')}
        autocomplete="new-password"
        required
      />
      <Alert refused={errorBeside(refused, ['passphrase', 'repeated'])} />
      <button type="submit" class="button main" aria-disabled={busy}>
        {TEXT.signIn.saveAndEnter}
      </button>
      <button type="button" class="button" onClick={onDone}>
        {TEXT.signIn.notNow}
      </button>
    </Form>
  );
}

/** The link proves no mailbox, and the person has a passphrase or another organization. */
export function NoPassphrase({ onDone }: { readonly onDone: () => void }) {
  return (
    <Form onSubmit={onDone}>
      <h1>{TEXT.signIn.keptTitle}</h1>
      <p class="soft">{TEXT.signIn.keptLead}</p>
      <button type="submit" class="button main">
        {TEXT.signIn.notNow}
      </button>
    </Form>
  );
}
