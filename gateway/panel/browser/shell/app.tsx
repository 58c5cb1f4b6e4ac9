/** The page as a whole: the way in without a session, the shell with one. */
import { useEffect } from 'preact/hooks';
import { Alert } from '../base/parts.tsx';
import { detour, endDetour, place } from '../base/router.ts';
import { startLive } from '../live.ts';
import { TEXT } from '../sentences.ts';
import { findSession, session, unanswered } from '../session.ts';
import { Gate } from '../sign-in/gate.tsx';
import { Shell } from './shell.tsx';

export function App() {
  const current = session.value;
  const path = place.value.path;
  const atGate = path === '/entrar';
  useEffect(() => {
    if (current === null && !atGate) detour('/entrar');
    if (current && atGate) endDetour();
  }, [current, atGate]);
  useEffect(startLive, [current?.id, current?.organization?.id]);
  if (current === undefined) return <Finding />;
  if (current === null || atGate) return <Gate />;
  // Nothing of a former person stays.
  return <Shell key={current.id} session={current} />;
}

/** Whether there is a session is not known yet. */
function Finding() {
  if (unanswered.value === null) return <p class="spoken">{TEXT.loading}</p>;
  return (
    <main class="gate">
      <p class="brand">{TEXT.product}</p>
      <div class="gate-card">
        <Alert refused={unanswered.value} onAgain={findSession} />
      </div>
    </main>
  );
}
