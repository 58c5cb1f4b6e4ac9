/** Protections of templates, of the window, and of a template in place of a refused message. */
import type { Mutant } from './mutant.ts';

const BY_RECORD = { test: 'tests/faults/fencing/judged-by-record.test.ts' } as const;
const LISTINGS = { test: 'tests/parts/actors/template/synchronise.test.ts' } as const;

export const OF_TEMPLATES: readonly Mutant[] = [
  {
    name: 'a message is refused for the window by a snapshot that may be stale',
    file: 'actors/conversation/check-content.ts',
    find: 'const truth = await conversation.reload();',
    replace: 'const truth = state;',
    caughtBy: BY_RECORD,
  },
  {
    name: 'a template goes in place of a flow’s message after an opt-out',
    file: 'actors/conversation/send.ts',
    find: 'if (isEndedByOptOut(entry.message) && (await hasOptedOut(store, state))) return;',
    replace: 'if (!isEndedByOptOut(entry.message) && (await hasOptedOut(store, state))) return;',
    caughtBy: BY_RECORD,
  },
  {
    name: 'a listing is removed as soon as another one is shown',
    file: 'actors/template/synchronise.ts',
    find: '{ number, kept: [kept] }',
    replace: '{ number, kept: [] }',
    caughtBy: LISTINGS,
  },
  {
    name: 'a listing that was shown until a moment ago goes with the next unchanged one',
    file: 'actors/template/synchronise.ts',
    find: 'kept: keptListings(before, own.now)',
    replace: 'kept: [shown]',
    caughtBy: LISTINGS,
  },
];
