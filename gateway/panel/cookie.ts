/**
 * Cookie of a session: `<owner>.<secret>`, where the owner is the organization that keeps the
 * session, or the operator.
 *
 * Cookies ignore ports. The name ends in a part of the installation's id, so that two installations
 * on one host do not sign each other's people out.
 */
import { looksLikeId } from '../../shared/entity-ids.ts';
import type { Ids } from '../../shared/ports/ids.ts';

const NAME = 'recado_session_';
const INSTALLATION_CHARS = 8;
const SECRET = /^[A-Za-z0-9_-]{32,100}$/;

export interface SessionSecret {
  readonly owner: string;
  readonly secret: string;
}

export interface CookieSettings {
  readonly name: string;
  /** Sent over https only. */
  readonly secure: boolean;
}

export function cookieSettings(ids: Ids, secure: boolean): CookieSettings {
  const installation = ids.derive('ins', 'panel').slice(-INSTALLATION_CHARS);
  return { name: `${secure ? '__Host-' : ''}${NAME}${installation}`, secure };
}

/** The session of a `Cookie` header; null where it names none that could be one. */
export function readSessionCookie(header: string, { name }: CookieSettings): SessionSecret | null {
  for (const part of header.split(';')) {
    const [key = '', value = ''] = part.trim().split('=', 2);
    if (key !== name) continue;
    const [owner = '', secret = '', ...more] = value.split('.');
    const isOne = looksLikeId(owner) && SECRET.test(secret) && more.length === 0;
    return isOne ? { owner, secret } : null;
  }
  return null;
}

/** The `Set-Cookie` of a session, for so many seconds. */
export function sessionCookie(
  { name, secure }: CookieSettings,
  { owner, secret }: SessionSecret,
  maxAgeSeconds: number,
): string {
  return `${name}=${owner}.${secret}; ${attributes(secure, maxAgeSeconds)}`;
}

/** The `Set-Cookie` that removes it. */
export function endedCookie({ name, secure }: CookieSettings): string {
  return `${name}=; ${attributes(secure, 0)}`;
}

function attributes(secure: boolean, maxAgeSeconds: number): string {
  const base = `Path=/; Max-Age=${Math.max(0, Math.floor(maxAgeSeconds))}; HttpOnly`;
  return `${base}; SameSite=Strict${secure ? '; Secure' : ''}`;
}
