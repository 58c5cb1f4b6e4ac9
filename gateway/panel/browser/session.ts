/** The session of this browser, and the ways in and out. */
import { signal } from '@preact/signals';
import { actAs, call, lookAt, type Outcome, type Refused } from './base/call.ts';
import { Repeater } from './base/repeater.ts';
import { removeTexts, storedText, storeText } from './base/text-storage.ts';

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
  /** The session may set one without naming the present one. */
  readonly offersPassphrase: boolean;
}

/** Undefined until the server has answered; null without a session. */
export const session = signal<Session | null | undefined>(undefined);

/** Why the session is not known; the question repeats itself. */
export const unanswered = signal<Refused | null>(null);

interface Data<Body> {
  readonly data: Body;
}

const finder = new Repeater(async () => {
  const found = await call<Data<Session>>('GET', '/panel/api/session');
  unanswered.value = found.ok ? null : found.refused;
  if (found.ok) enter(found.body.data);
  return found.ok ? null : found.refused;
});

/** A refusal for want of a session ends the one that the page has (`whenSignedOut`). */
export function findSession(): void {
  finder.request();
}

let personId = '';
let onOtherPerson: () => void = () => undefined;

/** Nothing of the former person may stay in the page's memory. */
export function whenOtherPerson(run: () => void): void {
  onOtherPerson = run;
}

/** The page is this session's from now on. */
export function enter(found: Session): void {
  const id = found.member?.id ?? found.role;
  if (personId !== '' && personId !== id) return onOtherPerson();
  personId = id;
  actAs(found.id);
  session.value = withChoice(found);
}

const CHOICE = 'recado:organization';

/** The operator's session with the organization that this browser has chosen. */
function withChoice(found: Session): Session {
  const chosen = found.role === 'operator' ? storedText(CHOICE) : '';
  const organization: Organization | null = chosen === '' ? null : JSON.parse(chosen);
  lookAt(organization?.id ?? '');
  return organization ? { ...found, organization } : found;
}

/** Every screen shows this organization from now on, in the other tabs too. */
export function chooseOrganization(organization: Organization | null): void {
  const current = session.value;
  if (current?.role !== 'operator') return;
  storeText(CHOICE, organization ? JSON.stringify(organization) : '');
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

/** Names of what the person has written and not sent begin so; they end with the session. */
export function draftPrefix(): string {
  return `recado:draft:${session.value?.member?.id ?? ''}:`;
}

/** Without an answer the cookie may stay, so the page stays too: its refusal. */
export async function signOut(): Promise<Refused | null> {
  const outcome = await call('POST', '/panel/api/sign-out');
  if (!outcome.ok && outcome.refused.status !== 401) return outcome.refused;
  removeTexts(draftPrefix());
  if (session.value?.role === 'operator') removeTexts(CHOICE);
  lookAt('');
  session.value = null;
  return null;
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
