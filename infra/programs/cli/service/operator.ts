/** The author of the command line's changes in the audit logs. */
import type { ActingPerson } from '../../../../shared/wire/audit.ts';
import { OPERATOR } from '../../../../shared/wire/person-commands.ts';

/**
 * The user of this command line is the operator, and no person.
 * @param operation as the panel names it, where it has the same
 */
export function operatorAs(operation: string): { readonly by: ActingPerson } {
  const by: ActingPerson = {
    ...{ memberId: null, name: 'recado', role: OPERATOR, sessionId: null },
    ...{ address: 'command line', operation },
  };
  return { by };
}
