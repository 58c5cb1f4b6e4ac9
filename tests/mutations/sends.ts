/** Protections of messages on their way to the network. */
import type { Mutant } from './mutant.ts';

export const OF_SENDS: readonly Mutant[] = [
  {
    name: 'a send is not marked before it is handed to the network',
    file: 'actors/channel/dispatch-batch.ts',
    find: "'send.state': 'sending',\n        'send.epoch'",
    replace: "'send.state': send.state,\n        'send.epoch'",
    caughtBy: { test: 'tests/actors/channel/channel-sender.test.ts' },
  },
  {
    name: 'a send that another owner has marked is handed to the network',
    file: 'actors/channel/dispatch-batch.ts',
    find: 'if (outcomes[index]?.ok !== true) {',
    replace: 'if (outcomes[index] === undefined) {',
    caughtBy: { test: 'tests/actors/channel/fresh-entries.test.ts' },
  },
  {
    name: 'a message goes to the network though the insert that marks it was refused or lost',
    file: 'actors/channel/channel-sender.ts',
    find: '      if (inserted) startSend(this, sending);\n      else this.#abandonClaim(queue);',
    replace:
      '      if (inserted || queue.busy) startSend(this, sending);\n      else this.#abandonClaim(queue);',
    caughtBy: 'simulation',
    from: 4,
  },
  {
    name: 'a message goes to the network before the insert that marks it is journaled',
    file: 'actors/conversation/log.ts',
    find: '    const inserted = await this.#insert(entry, claim);',
    replace: '    claim?.resolve(true);\n    const inserted = await this.#insert(entry, null);',
    caughtBy: 'simulation',
  },
  {
    name: 'a message that its insert marks does not hold back those behind it',
    file: 'actors/channel/conversation-queues.ts',
    find: '    queue.busy = true;\n    queue.messages.push({ entryId, seq });',
    replace: '    queue.messages.push({ entryId, seq });',
    caughtBy: { test: 'tests/actors/channel/send-properties.test.ts' },
  },
  {
    name: 'a message is marked by its insert while one before it in its conversation waits',
    file: 'actors/channel/channel-sender.ts',
    find: '      this.queues.isCompleted(conversationId, send.previousSeq) &&\n',
    replace:
      '      (this.queues.isCompleted(conversationId, send.previousSeq) || send.at > 0) &&\n',
    caughtBy: { test: 'tests/actors/channel/queued.test.ts' },
  },
  {
    name: 'a message is marked by its insert however fast its number sends',
    file: 'actors/channel/channel-sender.ts',
    find: 'if (!this.#rateLimiter.trySpend(conversationId, { pace, now })) return null;',
    replace: 'if (pace.perSecond === now) return null;',
    caughtBy: { test: 'tests/actors/channel/queued.test.ts' },
  },
  {
    name: 'a message whose look-up nobody answers is sent again',
    file: 'actors/domain/send-in-doubt.ts',
    find: "if (found === 'unknown') {",
    replace: "if (found === 'unknown' && statusWaitMs > 0) {",
    caughtBy: { test: 'tests/actors/channel/in-doubt.test.ts' },
  },
  {
    name: 'a message is repeated again and again though no look-up can tell',
    file: 'actors/domain/send-in-doubt.ts',
    find: 'inDoubt.blindAttempt !== undefined && attempt >= inDoubt.blindAttempt',
    replace: 'attempt < 0',
    caughtBy: { test: 'tests/actors/channel/in-doubt.test.ts' },
  },
  {
    name: 'the id that a message goes under is not journaled with its mark',
    file: 'actors/channel/dispatch-batch.ts',
    find: "{ 'send.ownId': send.ownId }",
    replace: '{}',
    caughtBy: { test: 'tests/actors/channel/own-ids.test.ts' },
  },
  {
    name: 'a restricted number begins conversations all the same',
    file: 'actors/channel/first-contacts.ts',
    find: 'if (this.restricted) return false;',
    replace: 'if (this.restricted) return true;',
    caughtBy: { test: 'tests/actors/channel/restriction.test.ts' },
  },
  {
    name: 'after a hold all first contacts try at once',
    file: 'actors/channel/first-contacts.ts',
    find: 'return this.#trial === messageId;',
    replace: 'return true;',
    caughtBy: { test: 'tests/actors/channel/restriction.test.ts' },
  },
  {
    name: 'a network that fails for good leaves its channel ready for ever',
    file: 'actors/domain/network-readiness.ts',
    find: 'if (!state.answered || now - since >= SENDS_FAIL_FOR_MS) {',
    replace: 'if (!state.answered) {',
    caughtBy: { test: 'tests/actors/channel/readiness-probe.test.ts' },
  },
  {
    name: 'a failed status request ends the readiness of a network that has answered',
    file: 'actors/domain/network-readiness.ts',
    find: 'if (!state.answered) return { ...state, unreachableReason:',
    replace: 'if (state.revision >= 0) return { ...state, unreachableReason:',
    caughtBy: { test: 'tests/actors/domain/network-readiness.test.ts' },
  },
  {
    name: 'a success under other settings counts for the present ones',
    file: 'actors/channel/readiness-probe.ts',
    find: 'if (revision !== this.#state.revision) return;',
    replace: 'if (this.#channel.closed()) return;',
    caughtBy: { test: 'tests/actors/channel/readiness-probe.test.ts' },
  },
];
