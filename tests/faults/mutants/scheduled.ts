/** Protections of scheduled messages, and of all work that waits for its time. */
import type { Mutant } from './mutant.ts';

export const OF_SCHEDULED: readonly Mutant[] = [
  {
    name: 'a scheduled message can be settled twice',
    file: 'actors/domain/conversation/settlement.ts',
    find: "[messageId, 'settled'].join('-')",
    replace: "[messageId, 'settled', performance.now()].join('-')",
    caughtBy: 'simulation',
    from: 11,
  },
  {
    name: 'nobody looks at the contact again when a scheduled message is marked',
    file: 'actors/channel/sending/dispatch-batch.ts',
    find: 'if (!message || !(isEndedByOptOut(message) || isMarketing)) return true;',
    replace: 'if (!message || entry.seq > 0) return true;',
    caughtBy: 'simulation',
    from: 12,
  },
  {
    name: 'a waiting message of a flow goes to a contact who has opted out',
    file: 'actors/channel/sending/dispatch-batch.ts',
    find: '(isEndedByOptOut(message) || isMarketing)',
    replace: "((message.origin !== 'flow' && isEndedByOptOut(message)) || isMarketing)",
    caughtBy: { test: 'tests/parts/actors/channel/sending/channel-sender.test.ts' },
  },
  {
    name: 'a released message does not hold back those behind it',
    file: 'actors/channel/sending/sending-order.ts',
    find: "return entry?.settles ? store.byId('entries', entry.settles.messageId) : entry;",
    replace: 'return entry;',
    caughtBy: { test: 'tests/unit/actors/channel/sending/sending-order.test.ts' },
  },
  {
    name: 'a bulk message is cancelled though its send is marked',
    file: 'actors/conversation/log/documents.ts',
    find: "filter: { _id, conversationId, 'send.state': 'queued', 'send.attempt': 0 },",
    replace: 'filter: { _id, conversationId },',
    caughtBy: { test: 'tests/parts/actors/channel/sending/cancel.test.ts' },
  },
  {
    name: 'the conversation of a cancelled bulk message is not written by the next owner',
    file: 'actors/conversation/log/documents.ts',
    find: 'return { ...entry, message, pending, cancelled:',
    replace: 'return { ...entry, message, ...(pending < 0 ? { pending } : {}), cancelled:',
    caughtBy: { test: 'tests/faults/fencing/recover-queued.test.ts' },
  },
  {
    name: 'a message overtakes what was queued before a cancelled one',
    file: 'actors/channel/sending/sending-order.ts',
    find: 'if (entry?.cancelled === undefined) return { entry, seq };',
    replace: 'return { entry, seq };',
    caughtBy: { test: 'tests/parts/actors/channel/sending/cancel.test.ts' },
  },
  {
    name: 'a cancelled message passes for one that went after those before it',
    file: 'actors/channel/sending/send-queue.ts',
    find: 'conversations.completeOldest(queue, false);',
    replace: 'conversations.completeOldest(queue);',
    caughtBy: { test: 'tests/unit/actors/channel/sending/cancelled.test.ts' },
  },
  {
    name: 'a settlement that a crash left is not applied',
    file: 'actors/conversation/turns/republish.ts',
    find: '    const message = await applySettlement(store, entry);',
    replace: '    const message = entry.settles ? null : await applySettlement(store, entry);',
    caughtBy: { test: 'tests/faults/fencing/settlements.test.ts' },
  },
  {
    name: 'a contact’s record is read before the outbox that a word may be leaving for it',
    file: 'actors/contact/opt-outs.ts',
    find: `  const wishedAt = await readWishTime(store, id, isWish);
  return { wishedAt, contact: await readContact(store, contactId) };`,
    replace: `  const contact = await readContact(store, contactId);
  return { wishedAt: await readWishTime(store, id, isWish), contact };`,
    caughtBy: { test: 'tests/unit/actors/contact/opt-outs.test.ts' },
  },
  {
    name: 'a timer that is set while its conversation is posted to never fires',
    file: 'actors/runtime/due-timers.ts',
    find: '      this.fire(conversationId);\n      if (this.#buffer',
    replace: '      if (this.#buffer',
    caughtBy: { test: 'tests/parts/actors/conversation/schedule/due-messages.test.ts' },
  },
  {
    name: 'a page that was read in one tenure is applied in the next',
    file: 'actors/runtime/due-work.ts',
    find: 'items.filter((item) => isHeld(partitionOf(item)))',
    replace: 'items.filter((item) => owned.numbers.includes(partitionOf(item)))',
    caughtBy: { test: 'tests/parts/actors/runtime/due-work.test.ts' },
  },
];
