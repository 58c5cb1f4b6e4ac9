/** Protections of messages on their way to the network. */
import type { Mutant } from './mutant.ts';

export const OF_SENDS: readonly Mutant[] = [
  {
    name: 'a send is not marked before it is handed to the network',
    file: 'actors/channel/send-round.ts',
    find: "'send.state': 'sending',\n        'send.epoch'",
    replace: "'send.state': send.state,\n        'send.epoch'",
    caughtBy: { test: 'tests/network/desk.test.ts' },
  },
  {
    name: 'a send that another owner has marked is handed to the network',
    file: 'actors/channel/send-round.ts',
    find: 'if (outcomes[index]?.ok !== true) {',
    replace: 'if (outcomes[index] === undefined) {',
    caughtBy: { test: 'tests/network/fresh-entries.test.ts' },
  },
  {
    name: 'a message goes to the network though the insert that marks it was refused or lost',
    file: 'actors/channel/desk.ts',
    find: '      if (inserted) handOn(this, sending);\n      else this.#release(lane);',
    replace:
      '      if (inserted || lane.busy) handOn(this, sending);\n      else this.#release(lane);',
    caughtBy: 'simulation',
  },
  {
    name: 'a message goes to the network before the insert that marks it is journaled',
    file: 'actors/conversation/log.ts',
    find: '    const inserted = await this.#insert(entry, reservation);',
    replace:
      '    reservation?.settle(true);\n    const inserted = await this.#insert(entry, null);',
    caughtBy: 'simulation',
  },
  {
    name: 'a message that its insert marks does not hold back those behind it',
    file: 'actors/channel/lanes.ts',
    find: '    lane.busy = true;\n    lane.queue.push({ entryId, seq });',
    replace: '    lane.queue.push({ entryId, seq });',
    caughtBy: { test: 'tests/property/sends.test.ts' },
  },
  {
    name: 'a message is marked by its insert while one before it in its conversation waits',
    file: 'actors/channel/desk.ts',
    find: '      this.lanes.isSettled(conversationId, send.previousSeq) &&\n',
    replace: '      (this.lanes.isSettled(conversationId, send.previousSeq) || send.at > 0) &&\n',
    caughtBy: { test: 'tests/network/queued.test.ts' },
  },
  {
    name: 'a message is marked by its insert however fast its number sends',
    file: 'actors/channel/desk.ts',
    find: 'if (!this.#paced.spendOne(conversationId, { pace, now })) return null;',
    replace: 'if (pace.perSecond === now) return null;',
    caughtBy: { test: 'tests/network/queued.test.ts' },
  },
];
