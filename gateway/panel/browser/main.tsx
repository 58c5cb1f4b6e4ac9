/** Entry of the panel's pages. */
import { render } from 'preact';
import './styles/main.css';
import { begin, whenOrganizationAbsent, whenOtherSession, whenSignedOut } from './base/call.ts';
import { listPath, NO_FILTERS } from './conversations/state/api.ts';
import { resumePending } from './conversations/state/pending.ts';
import { chooseOrganization, findSession, session, whenOtherPerson } from './session.ts';
import { App } from './shell/app.tsx';
import { endAboveKeyboard } from './shell/keyboard-room.ts';

const root = document.querySelector<HTMLElement>('#app');
if (root) {
  endAboveKeyboard(root);
  whenSignedOut(() => {
    session.value = null;
  });
  whenOrganizationAbsent(() => chooseOrganization(null));
  whenOtherSession(findSession);
  whenOtherPerson(() => location.reload());
  // Most pages open there: its list need not wait for the session's own answer.
  if (/^\/(conversas)?$/.test(location.pathname) && location.search === '') {
    begin(listPath(NO_FILTERS, undefined, 1));
  }
  // A link's token decides about the session itself.
  if (location.pathname !== '/entrar' || location.hash === '') findSession();
  else session.value = null;
  resumePending();
  render(<App />, root);
}
