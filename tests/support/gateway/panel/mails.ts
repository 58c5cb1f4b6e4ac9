/** Mails of the stack of panel tests, which it writes into a folder. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../../wait-for.ts';

/** Decoded texts of the mails to an e-mail, whose subject or text matches. */
export function mailsTo(dataDir: string, email: string, wanted = /./): readonly string[] {
  const folder = join(dataDir, 'mail');
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names
    .filter((name) => name.endsWith('.eml'))
    .map((name) => decoded(readFileSync(join(folder, name), 'utf8')))
    .filter((mail) => new RegExp(`^To: .*${email}`, 'im').test(mail) && wanted.test(mail));
}

/** Quoted-printable as UTF-8; headers may keep their own encoding. */
function decoded(mail: string): string {
  const joined = mail.replace(/=\r?\n/g, '');
  const bytes = joined.replace(/(?:=[0-9A-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('=', ''), 'hex').toString('utf8'),
  );
  return bytes;
}

/** The tokens of links in those mails, once there is one more than `known`. */
export async function tokenMailed(
  dataDir: string,
  email: string,
  known: ReadonlySet<string> = new Set(),
): Promise<string> {
  const fresh = () => tokensMailed(dataDir, email).find((token) => !known.has(token));
  await waitFor(() => fresh() !== undefined, { what: `a link to ${email}` });
  const token = fresh();
  assert.ok(token !== undefined);
  return token;
}

export function tokensMailed(dataDir: string, email: string): readonly string[] {
  return mailsTo(dataDir, email).flatMap((mail) => /entrar#([\w.-]+)/.exec(mail)?.[1] ?? []);
}
