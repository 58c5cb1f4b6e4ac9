/**
 * What a key may call: each row of the API has the least access that it needs, and each access
 * includes those before it. Persons have roles instead (`shared/panel/roles.ts`).
 */
import { type Failure, failure } from '../shared/failures.ts';
import { ACCESS_DEFAULT, ACCESSES, type Access } from '../shared/vocabulary.ts';
import type { Caller } from '../shared/wire/caller.ts';

/** @param least of a row */
export function mayCall({ access = ACCESS_DEFAULT, member }: Caller, least: Access): boolean {
  return member !== undefined || ACCESSES.indexOf(access) >= ACCESSES.indexOf(least);
}

export function refuseAccess(caller: Caller, least: Access): Failure | null {
  if (mayCall(caller, least)) return null;
  const { access = ACCESS_DEFAULT } = caller;
  return failure(
    'access_too_low',
    `Esta chamada precisa de uma chave com acesso ${enough(least)}; o desta é \`${access}\`.`,
  );
}

/** `send` ou `full`, in Markdown. */
export function enough(least: Access): string {
  return ACCESSES.slice(ACCESSES.indexOf(least))
    .map((access) => `\`${access}\``)
    .join(' ou ');
}
