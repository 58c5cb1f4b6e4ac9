/** Entry of the panel's pages. */
import { render } from 'preact';
import './styles/main.css';
import { whenSignedOut } from './base/call.ts';
import { findSession, session } from './session.ts';
import { App } from './shell/app.tsx';

const root = document.querySelector('#app');
if (root) {
  whenSignedOut(() => {
    session.value = null;
  });
  // A link's token decides about the session itself.
  if (location.pathname !== '/entrar' || location.hash === '') void findSession();
  else session.value = null;
  render(<App />, root);
}
