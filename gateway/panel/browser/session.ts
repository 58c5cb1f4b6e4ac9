/** The session of this browser, and the ways in and out. */
import { signal } from '@preact/signals';
import { call, lookAt, type Outcome } from './base/call.ts';
import { forget, keep, kept } from './base/kept.ts';

export type Role = 'admin' | 'attendant' | 'viewer' | 'operator';

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly timeZone: string;
}

export interface Session {
  readonly id: string;
  readonly role: Role;
  readonly member: { readonly id: string; readonly name: string; readonly email: string } | null;
  /** Of the operator: the one that is looked at. */
  readonly organization: Organization | null;
  readonly expiresAt: string;
}

export interface Choice {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: Role;
}

export interface SignedIn {
  readonly session: Session | null;
  readonly ticket: string | null;
  readonly choices: readonly Choice[];
  /** Of a link only. */
  readonly passphrase?: 'unset' | 'set';
}

/** Undefined until the server has answered; null without a session. */
export const session = signal<Session | null | undefined>(undefined);

interface Data<Body> {
  readonly data: Body;
}

export async function findSession(): Promise<void> {
  const found = await call<Data<Session>>('GET', '/panel/api/session');
  if (found.ok) session.value = withChoice(found.body.data);
  else if (session.value === undefined) session.value = null;
}

const CHOICE = 'recado:organization';

/** The operator's session with the organization that this browser has chosen. */
function withChoice(found: Session): Session {
  const chosen = found.role === 'operator' ? kept(CHOICE) : '';
  const organization: Organization | null = chosen === '' ? null : JSON.parse(chosen);
  lookAt(organization?.id ?? '');
  return organization ? { ...found, organization } : found;
}

/** Every screen shows this organization from now on, in the other tabs too. */
export function chooseOrganization(organization: Organization | null): void {
  const current = session.value;
  if (current?.role !== 'operator') return;
  keep(CHOICE, organization ? JSON.stringify(organization) : '');
  lookAt(organization?.id ?? '');
  session.value = { ...current, organization };
}

export function signIn(email: string, passphrase: string): Promise<Outcome<Data<SignedIn>>> {
  return call('POST', '/panel/api/sign-in', { body: { email, passphrase } });
}

export function exchangeLink(token: string): Promise<Outcome<Data<SignedIn>>> {
  return call('POST', '/panel/api/link', { body: { token } });
}

export function requestLink(email: string): Promise<Outcome<unknown>> {
  return call('POST', '/panel/api/link-requests', { body: { email } });
}

export function choose(ticket: string, organizationId: string): Promise<Outcome<Data<Session>>> {
  return call('POST', '/panel/api/sessions', { body: { ticket, organizationId } });
}

export function savePassphrase(passphrase: string): Promise<Outcome<unknown>> {
  return call('POST', '/panel/api/passphrase', { body: { passphrase } });
}

/** The page forgets what it kept, even if the server does not answer. */
export async function signOut(): Promise<void> {
  await call('POST', '/panel/api/sign-out');
  forget('recado:');
  lookAt('');
  session.value = null;
}

/** True for roles that may administer the organization; the operator does what its commands do. */
export function mayAdminister(): boolean {
  const role = session.value?.role;
  return role === 'admin' || role === 'operator';
}

/** True for roles that change conversations, contacts, deals and tasks. */
export function mayWrite(): boolean {
  const role = session.value?.role;
  return role === 'admin' || role === 'attendant';
}
