/** Protections of events from the networks. */
import type { Mutant } from './mutant.ts';

const CHAT_FORMS = { test: 'tests/service/actors/conversation/turns/chat-forms.test.ts' };
const CHANGES = { test: 'tests/service/actors/conversation/turns/changes.test.ts' };

const LATE = { test: 'tests/parts/actors/channel/receiving/late-messages.test.ts' };

export const OF_RECEIVING: readonly Mutant[] = [
  {
    name: 'two forms of one message go side by side',
    file: 'actors/runtime/concurrency.ts',
    find: '      await before;\n',
    replace: '',
    caughtBy: CHAT_FORMS,
  },
  {
    name: 'a message that another conversation has is not known',
    file: 'actors/conversation/turns/receive.ts',
    find: 'const known = await actor.log.entryAnywhere(messageId);',
    replace: 'const known = await actor.log.entry(messageId);',
    caughtBy: CHAT_FORMS,
  },
  {
    name: 'a receipt reaches a contact’s message of the same id',
    file: 'actors/channel/receiving/named-message.ts',
    find: "{ externalId, 'message.direction': direction }",
    replace: '{ externalId }',
    caughtBy: CHAT_FORMS,
  },
  {
    name: 'a message on its way is not found by the id that it was given',
    file: 'actors/channel/receiving/named-message.ts',
    find: "  if (direction === 'in') return null;",
    replace: '  if (direction) return null;',
    caughtBy: CHAT_FORMS,
  },
  {
    name: 'an echo that says the same as a message in doubt is another message',
    file: 'actors/channel/receiving/echoed-send.ts',
    find: "send?.state !== 'sending'",
    replace: "send?.state !== 'queued'",
    caughtBy: CHAT_FORMS,
  },
  {
    name: 'an echo by the number misses the message of a contact with a hidden id',
    file: 'actors/channel/receiving/echoed-send.ts',
    find: 'return here ?? findElsewhere(context, echo);',
    replace: 'return here;',
    caughtBy: CHAT_FORMS,
  },
  {
    name: 'a receipt that was kept misses what was typed to a contact with a hidden id',
    file: 'actors/channel/receiving/webhook.ts',
    find: 'known ?? (await findMessage(channel, routed)) ?? {',
    replace: 'known ?? {',
    caughtBy: CHAT_FORMS,
  },
  {
    name: 'a change that was kept misses the message of a contact with a hidden id',
    file: 'actors/channel/receiving/webhook.ts',
    find: 'return (await logsBeside(channel, routed)).includes(conversationId);',
    replace: 'return false;',
    caughtBy: CHAT_FORMS,
  },
  {
    name: 'an echo overtakes the answer to a message of a joined conversation',
    file: 'actors/channel/receiving/echoed-send.ts',
    find: '  await Promise.all(logs.map((log) => context.whenIdle(log)));\n',
    replace: '',
    caughtBy: { test: 'tests/parts/actors/channel/receiving/echoed-send.test.ts' },
  },
  {
    name: 'a contact changes the message of another one',
    file: 'actors/channel/receiving/webhook.ts',
    find: "if (direction === 'out' || message.conversationId === conversationId) return true;",
    replace: 'if (direction || message.conversationId === conversationId) return true;',
    caughtBy: CHANGES,
  },
  {
    name: 'a change that was kept reaches the message of another contact',
    file: 'actors/channel/receiving/webhook.ts',
    find: 'if (!message || !(await isOfChat(channel, routed, message))) return true;',
    replace: 'if (!message) return true;',
    caughtBy: CHANGES,
  },
  {
    name: 'a change that comes before its message is lost',
    file: 'actors/channel/receiving/webhook.ts',
    find: '    await channel.unmatchedChanges.keep(unmatchedName(routed), change);\n',
    replace: '',
    caughtBy: CHANGES,
  },
  {
    name: 'what was typed on the phone is known as a send of ours',
    file: 'actors/channel/receiving/named-message.ts',
    find: "if (!externalId || message?.origin === 'network') continue;",
    replace: 'if (!externalId) continue;',
    caughtBy: { test: 'tests/parts/actors/channel/receiving/route-people.test.ts' },
  },
  {
    name: 'a message that is hours late starts a flow',
    file: 'actors/channel/receiving/late-messages.ts',
    find: '  if (!isLate(arrival)) return routed;\n',
    replace: '  if (arrival) return routed;\n',
    caughtBy: 'simulation',
  },
  {
    name: 'a bridge whose clock is slow silences its channel',
    file: 'actors/channel/receiving/late-messages.ts',
    find: '.behindMs?.(network) ?? null',
    replace: '.behindMs?.(network) && null',
    caughtBy: LATE,
  },
  {
    name: 'a clock that does not stamp the messages explains their lateness',
    file: 'actors/domain/lateness.ts',
    find: 'return hasOwnClock ? age :',
    replace: 'return hasOwnClock && age < 0 ? age :',
    caughtBy: { test: 'tests/unit/actors/domain/lateness.test.ts' },
  },
  {
    name: 'a later advertisement takes the place of the first',
    file: 'actors/domain/first-ad.ts',
    find: 'return asProperty(known ?? reported);',
    replace: 'return asProperty(reported ?? known);',
    caughtBy: { test: 'tests/service/actors/contact/first-ad.test.ts' },
  },
  {
    name: 'a price is cut',
    file: 'infra/adapters/network/commerce.ts',
    find: 'return Math.round(',
    replace: 'return Math.trunc(',
    caughtBy: { test: 'tests/unit/infra/adapters/network/commerce.test.ts' },
  },
  {
    name: 'an event does not name the file that its network still has',
    file: 'actors/domain/conversation/conversation.ts',
    find: 'message.media ?? (reported && reportedFile(messageId, reported))',
    replace: 'message.media',
    caughtBy: 'simulation',
  },
  {
    name: 'a file that has not come is absent',
    file: 'actors/queries/media.ts',
    find: "if (message.mediaDue) return refused('file_pending');",
    replace: '',
    caughtBy: { test: 'tests/parts/actors/queries/media.test.ts' },
  },
  {
    name: 'a session of another number is asked for our files',
    file: 'actors/channel/receiving/media-downloads.ts',
    find: 'if (this.#isHeld(entry)) return;\n      const result',
    replace: 'const result',
    caughtBy: { test: 'tests/parts/actors/channel/receiving/media-downloads.test.ts' },
  },
  {
    name: 'a session of another number has let go of our files',
    file: 'infra/adapters/network/web/media.ts',
    find: ' || (await isOwnSession(caller, channel))',
    replace: ' || true',
    caughtBy: { test: 'tests/unit/infra/adapters/network/web-files.test.ts' },
  },
];
