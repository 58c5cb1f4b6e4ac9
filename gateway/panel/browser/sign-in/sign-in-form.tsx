/** E-mail and passphrase, or a link by mail. */
import { useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { Alert, Field, Form } from '../base/parts.tsx';
import { TEXT } from '../sentences.ts';
import { requestLink, type SignedIn, signIn } from '../session.ts';

interface SignInFormProps {
  readonly onSignedIn: (signedIn: SignedIn) => void;
}

export function SignInForm({ onSignedIn }: SignInFormProps) {
  const [given, setGiven] = useState({ email: '', passphrase: '' });
  const email = given.email.trim();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [notice, setNotice] = useState('');
  const submit = async () => {
    if (busy) return;
    setBusy(true);
    setRefused(null);
    setNotice('');
    const answer = await signIn(email, given.passphrase);
    setBusy(false);
    if (answer.ok) onSignedIn(answer.body.data);
    else setRefused(answer.refused);
  };
  const ask = async () => {
    setRefused(null);
    if (email === '') {
      setNotice(TEXT.signIn.requestLead);
      return;
    }
    const answer = await requestLink(email);
    if (answer.ok) setNotice(TEXT.signIn.linkRequested);
    else setRefused(answer.refused);
  };
  return (
    <Form onSubmit={() => void submit()}>
      <h1>{TEXT.signIn.title}</h1>
      <p class="soft">{TEXT.signIn.lead}</p>
      <Credentials given={given} onGiven={setGiven} />
      <Alert refused={refused} />
      {notice === '' ? null : (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      <button type="submit" class="button main" aria-disabled={busy}>
        {TEXT.signIn.submit}
      </button>
      <button type="button" class="button" onClick={() => void ask()}>
        {TEXT.signIn.requestLink}
      </button>
    </Form>
  );
}

interface Given {
  readonly email: string;
  readonly passphrase: string;
}

interface CredentialsProps {
  readonly given: Given;
  readonly onGiven: (given: Given) => void;
}

function Credentials({ given, onGiven }: CredentialsProps) {
  return (
    <>
      <Field
        label={TEXT.signIn.email}
        type="email"
        value={given.email}
        onValue={(email) => onGiven({ ...given, email })}
        autocomplete="username"
        required
        focused
      />
      <Field
        label={TEXT.signIn.passphrase}
        type="password"
        value={given.passphrase}
        onValue={(passphrase) => onGiven({ ...given, passphrase })}
        autocomplete="current-password"
        required
      />
    </>
  );
}
