/** The page as a whole: the way in without a session, the shell with one. */
import { useEffect } from 'preact/hooks';
import { go, place } from '../base/router.ts';
import { startLive } from '../live.ts';
import { TEXT } from '../sentences.ts';
import { session } from '../session.ts';
import { Gate } from '../sign-in/gate.tsx';
import { Shell } from './shell.tsx';

export function App() {
  const current = session.value;
  const path = place.value.path;
  const atGate = path === '/entrar';
  useEffect(() => {
    if (current === null && !atGate) go('/entrar', 'replace');
    if (current && atGate) go('/', 'replace');
  }, [current, atGate]);
  useEffect(() => {
    if (current) startLive();
  }, [current?.id, current?.organization?.id]);
  if (current === undefined) return <p class="spoken">{TEXT.loading}</p>;
  if (current === null || atGate) return <Gate />;
  return <Shell session={current} />;
}
