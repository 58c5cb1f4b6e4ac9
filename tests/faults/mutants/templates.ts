/** Protections of templates, of the window, and of a template in place of a refused message. */
import type { Mutant } from './mutant.ts';

const BY_RECORD = { test: 'tests/faults/fencing/judged-by-record.test.ts' } as const;
const LISTINGS = { test: 'tests/parts/actors/template/synchronise.test.ts' } as const;

export const OF_TEMPLATES: readonly Mutant[] = [
  {
    name: 'a message is refused for the window by a snapshot that may be stale',
    file: 'actors/conversation/turns/check-content.ts',
    find: 'const truth = await conversation.reload();',
    replace: 'const truth = state;',
    caughtBy: BY_RECORD,
  },
  {
    name: 'a template goes in place of a flow’s message after an opt-out',
    file: 'actors/conversation/turns/send.ts',
    find: 'if (isEndedByOptOut(entry.message) && (await hasOptedOut(store, state))) return;',
    replace: 'if (!isEndedByOptOut(entry.message) && (await hasOptedOut(store, state))) return;',
    caughtBy: BY_RECORD,
  },
  {
    name: 'a flow’s opt-out keeps back the farewell before it',
    file: 'actors/channel/sending/dispatch-batch.ts',
    find: 'isRefused(store, answering, runId)',
    replace: 'isRefused(store, answering)',
    caughtBy: { test: 'tests/parts/actors/channel/sending/channel-sender.test.ts' },
  },
  {
    name: 'a scheduled message goes as a farewell of the run beside it',
    file: 'actors/channel/sending/dispatch-batch.ts',
    find: "message.origin === 'flow' ? entry.after.run?.id : undefined",
    replace: 'entry.after.run?.id',
    caughtBy: { test: 'tests/parts/actors/channel/sending/channel-sender.test.ts' },
  },
  {
    name: 'a flow’s opt-out that is on its way keeps back the farewell before it',
    file: 'actors/contact/opt-outs.ts',
    find: 'readWishes(store, answering, isOther)',
    replace: 'readWishes(store, answering, isOptOut)',
    caughtBy: { test: 'tests/unit/actors/contact/opt-outs.test.ts' },
  },
  {
    name: 'a farewell goes although a caller has repeated the opt-out',
    file: 'actors/domain/contact.ts',
    find: 'runId: string | null = null,\n): Pick',
    replace: 'runId: string | null = state.optOutRunId ?? null,\n): Pick',
    caughtBy: { test: 'tests/unit/actors/domain/contact.test.ts' },
  },
  {
    name: 'a listing is removed as soon as another one is shown',
    file: 'actors/template/synchronise.ts',
    find: '{ number, retained: [shownBefore] }',
    replace: '{ number, retained: [] }',
    caughtBy: LISTINGS,
  },
  {
    name: 'a listing that was shown until a moment ago goes with the next unchanged one',
    file: 'actors/template/synchronise.ts',
    find: 'retained: retainedListings(before, own.now)',
    replace: 'retained: [shown]',
    caughtBy: LISTINGS,
  },
];
