/**
 * Protections of calls: admitted calls are not forgotten, allowed ones not refused, and files stay
 * with their messages.
 */
import type { Mutant } from './mutant.ts';

export const OF_CALLS: readonly Mutant[] = [
  {
    name: 'an owner says it has said before what it says to a repeat',
    file: 'actors/organization/actor.ts',
    find: 'const again = command.repeat ? once :',
    replace: 'const again = command.id === null ? once :',
    caughtBy: { test: 'tests/faults/fencing/admission.test.ts' },
  },
  {
    name: 'who is asked again refuses what an owner before agreed to',
    file: 'actors/conversation/turns/member-actions.ts',
    find: "context.repeat ? failure('fault') : decision.refusal",
    replace: 'decision.refusal',
    caughtBy: { test: 'tests/faults/fencing/in-doubt-refusal.test.ts' },
  },
  {
    name: 'a member’s repeated reply is answered ahead of its snapshot',
    file: 'actors/conversation/turns/member-actions.ts',
    find: 'await conversation.recoverEntry(command.id) : null',
    replace: 'await log.entry(command.id) : null',
    caughtBy: { test: 'tests/faults/fencing/repeated-reply.test.ts' },
  },
  {
    name: 'calls are forgotten with the state of a turn that failed',
    file: 'actors/organization/admission.ts',
    find: 'if (known?.epoch === epoch) {',
    replace: 'if (known && known.epoch > epoch) {',
    caughtBy: { test: 'tests/faults/fencing/admission.test.ts' },
  },
  {
    name: 'an owner before takes counts back',
    file: 'actors/organization/rate-windows.ts',
    find: 'this.#stamped ? { stamp: { $lt: stamp } } : {}',
    replace: '{}',
    caughtBy: { test: 'tests/faults/fencing/admission.test.ts' },
  },
  {
    name: 'an owner whose clock is behind opens the window again',
    file: 'actors/domain/rate-limits.ts',
    find: '{ ...window, openedAt: now } : window',
    replace: '{ openedAt: now, calls: 0 } : window',
    caughtBy: { test: 'tests/unit/actors/domain/rate-limits.test.ts' },
  },
  {
    name: 'a slice is given away and not counted',
    file: 'actors/domain/rate-limits.ts',
    find: 'org: { ...org, calls: org.calls + calls },',
    replace: 'org,',
    caughtBy: { test: 'tests/faults/fencing/local-admission.test.ts' },
  },
  {
    name: 'a slice is used beyond its window',
    file: 'actors/organization/local-admission.ts',
    find: 'now >= slice.until || ',
    replace: '',
    caughtBy: { test: 'tests/faults/fencing/local-admission.test.ts' },
  },
  {
    name: 'a slice is given again to a repeat',
    file: 'actors/organization/actor.ts',
    find: '  return { once, slice };',
    replace: '  return { once: { ...once, slice }, slice };',
    caughtBy: { test: 'tests/faults/fencing/local-admission.test.ts' },
  },
  {
    name: 'a process keeps what it read of an organization before a change',
    file: 'actors/organization/views.ts',
    find: 'this.#views.delete(orgId);',
    replace: '',
    caughtBy: { test: 'tests/faults/fencing/organization-views.test.ts' },
  },
  {
    name: 'a process keeps what it was reading of an organization while it changed',
    file: 'actors/organization/views.ts',
    find: 'if (state && isLatest())',
    replace: 'if (state)',
    caughtBy: { test: 'tests/faults/fencing/organization-views.test.ts' },
  },
  {
    name: 'a change of an organization is answered before it is known everywhere',
    file: 'actors/organization/views.ts',
    find: ' && live.every((id) => confirmed.has(id))',
    replace: '',
    caughtBy: { test: 'tests/faults/fencing/organization-views.test.ts' },
  },
  {
    name: 'calls are not written down',
    file: 'actors/organization/rate-windows.ts',
    find: 'this.#cancelWrite ??= this.#environment.clock.after(WRITE_EVERY_MS, () => void this.flush());',
    replace: '',
    caughtBy: 'simulation',
  },
  {
    name: 'a file that does not come at once is given up',
    file: 'actors/channel/receiving/media-downloads.ts',
    find: 'if (result.final || age >',
    replace: "if (!('media' in result) || age >",
    caughtBy: 'simulation',
    from: 18,
  },
  {
    name: 'a message loses its file',
    file: 'gateway/routes/send-message.ts',
    find: '{ ...sent, [part]: bodyOf(reply) }',
    replace: 'sent',
    caughtBy: 'simulation',
    from: 2,
  },
  {
    name: 'a call that was refused after a run in doubt gets new ids',
    file: 'actors/idempotency/calls.ts',
    find: 'if (refused && !doubtful) return',
    replace: 'if (refused) return',
    caughtBy: { test: 'tests/parts/actors/idempotency/calls.test.ts' },
  },
  {
    name: 'an inbound call of which a part was done gets new ids',
    file: 'gateway/idempotency.ts',
    find: ' && reply.partiallyApplied !== true;',
    replace: ';',
    caughtBy: { test: 'tests/unit/gateway/keyed.test.ts' },
  },
];
