/** The way in: by passphrase, or by a single-use link whose token is the page's fragment. */
import { useEffect, useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { Isolated } from '../base/isolated.tsx';
import { Alert } from '../base/parts.tsx';
import { TEXT } from '../sentences.ts';
import { choose, enter, exchangeLink, type Session, type SignedIn } from '../session.ts';
import { NewPassphrase, NoPassphrase } from './new-passphrase.tsx';
import { SignInForm } from './sign-in-form.tsx';

type Step =
  | { readonly at: 'form'; readonly linkRefused: boolean }
  | { readonly at: 'link' }
  | {
      readonly at: 'choice';
      readonly ticket: string;
      readonly choices: SignedIn['choices'];
      readonly link: Link | null;
    }
  | { readonly at: 'passphrase'; readonly session: Session; readonly link: Link };

/** Whether the link may set a passphrase. */
type Link = Pick<SignedIn, 'offersPassphrase'>;

/** Taken from the address at once, so that neither history nor a reload holds it. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(null, '', location.pathname);
  return token;
}

export function Gate() {
  const [step, setStep] = useState<Step>({ at: 'form', linkRefused: false });
  const [refused, setRefused] = useState<Refused | null>(null);
  /** After a link a passphrase is offered, but not to the operator, who has none. */
  const offer = (given: Session, link: Link | null) => {
    if (link && given.role !== 'operator') setStep({ at: 'passphrase', session: given, link });
    else enter(given);
  };
  const proceed = ({ session: given, ticket, choices }: SignedIn, link: Link | null) => {
    if (given) offer(given, link);
    else if (ticket !== null) setStep({ at: 'choice', ticket, choices, link });
  };
  const followLink = async (token: string) => {
    setStep({ at: 'link' });
    const answer = await exchangeLink(token);
    if (answer.ok) {
      proceed(answer.body.data, answer.body.data);
    } else {
      const lost = answer.refused.status === 0 || answer.refused.status >= 500;
      setRefused(lost ? answer.refused : null);
      setStep({ at: 'form', linkRefused: !lost });
    }
  };
  useEffect(() => {
    const take = () => {
      const token = takeToken();
      if (token !== '') void followLink(token);
    };
    take();
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);
  return (
    <main class="gate">
      <p class="brand">{TEXT.product}</p>
      <div class="gate-card">
        {step.at === 'form' && step.linkRefused ? (
          <div class="alert" role="alert">
            {TEXT.signIn.linkRefused}
          </div>
        ) : null}
        <Alert refused={refused} />
        <GateStep step={step} proceed={proceed} offer={offer} />
      </div>
    </main>
  );
}

interface GateStepProps {
  readonly step: Step;
  readonly proceed: (signedIn: SignedIn, link: Link | null) => void;
  readonly offer: (given: Session, link: Link | null) => void;
}

function GateStep({ step, proceed, offer }: GateStepProps) {
  if (step.at === 'link') return <p role="status">{TEXT.signIn.checkingLink}</p>;
  if (step.at === 'choice') {
    return <Choices {...step} onChosen={(given) => offer(given, step.link)} />;
  }
  if (step.at === 'passphrase') {
    const done = () => enter(step.session);
    return step.link.offersPassphrase ? (
      <NewPassphrase onDone={done} />
    ) : (
      <NoPassphrase onDone={done} />
    );
  }
  return <SignInForm onSignedIn={(signedIn) => proceed(signedIn, null)} />;
}

interface ChoicesProps {
  readonly ticket: string;
  readonly choices: SignedIn['choices'];
  readonly onChosen: (given: Session) => void;
}

function Choices({ ticket, choices, onChosen }: ChoicesProps) {
  const [refused, setRefused] = useState<Refused | null>(null);
  const pick = async (organizationId: string) => {
    const answer = await choose(ticket, organizationId);
    if (answer.ok) onChosen(answer.body.data);
    else setRefused(answer.refused);
  };
  return (
    <>
      <h1>{TEXT.signIn.chooseTitle}</h1>
      <p class="soft">{TEXT.signIn.chooseLead}</p>
      <ul class="form">
        {choices.map(({ organizationId, organizationName, role }) => (
          <li key={organizationId}>
            <button type="button" class="button" onClick={() => void pick(organizationId)}>
              <Isolated text={organizationName} />{' '}
              <span class="soft small">{TEXT.roles[role]}</span>
            </button>
          </li>
        ))}
      </ul>
      <Alert refused={refused} />
    </>
  );
}
