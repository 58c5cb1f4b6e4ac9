/**
 * Marks every command of a call with the person who asks it, for authorship and the audit log; and
 * those of an AI assistant's key, for the audit log.
 */
import type { ActingPerson } from '../shared/wire/audit.ts';
import type { Caller } from '../shared/wire/caller.ts';
import type { Plan, Run } from './route.ts';

type ActingCall = Pick<ActingPerson, 'operation' | 'address'>;

/** @throws {Error} for the caller of a key */
export function actingPerson({ member }: Caller, call: ActingCall): ActingPerson {
  if (!member) throw new Error('a key does not act in the panel');
  const { id: memberId, name, role, sessionId } = member;
  return { memberId, name, role, sessionId, ...call };
}

/** Null for a person, and for a key of a program. */
export function actingAssistant(
  { assistant, keyName: name }: Caller,
  call: ActingCall,
): ActingPerson | null {
  if (assistant !== true) return null;
  const nobody = { memberId: null, role: null, sessionId: null } as const;
  return { ...nobody, name, ...call, origin: 'assistant' };
}

export function actingAs(by: ActingPerson, wanted: Plan | Run): Plan | Run {
  if (typeof wanted !== 'function') return planAs(by, wanted);
  return (ask) => wanted((plan, terms) => ask(planAs(by, plan), terms));
}

function planAs<Asked extends Plan>(by: ActingPerson, plan: Asked): Asked {
  if (plan.to !== 'actor') return plan;
  // The command keeps its type: it gains a property that every command has.
  return Object.assign({}, plan, { command: Object.assign({}, plan.command, { by }) });
}
