/** Marks every command of a call with the person who asks it, for authorship and the audit log. */
import type { ActingPerson } from '../../shared/wire/audit.ts';
import type { Caller } from '../../shared/wire/caller.ts';
import type { Plan, Sequence, Step } from '../route.ts';

/** @throws {Error} for the caller of a key */
export function actingPerson(
  { member }: Caller,
  call: { readonly operation: string; readonly address: string },
): ActingPerson {
  if (!member) throw new Error('a key does not act in the panel');
  const { id: memberId, name, role, sessionId } = member;
  return { memberId, name, role, sessionId, ...call };
}

export function actingAs(by: ActingPerson, plan: Plan | Sequence): Plan | Sequence {
  if (plan.to === 'sequence') {
    const next = (reply: Parameters<Sequence['next']>[0]): Step => {
      const step = plan.next(reply);
      return 'status' in step ? step : actingAs(by, step);
    };
    return { ...plan, first: planAs(by, plan.first), next };
  }
  return planAs(by, plan);
}

function planAs(by: ActingPerson, plan: Plan): Plan {
  if (plan.to !== 'actor') return plan;
  // The command keeps its type: it gains a property that every command has.
  return Object.assign({}, plan, { command: Object.assign({}, plan.command, { by }) });
}
