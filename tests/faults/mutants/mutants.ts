/**
 * Protections, each switched off by one change of the source, and what has to notice it. A mutant
 * that survives shows a protection that nothing watches.
 */

import { OF_CALLS } from './calls.ts';
import { OF_EVENTS } from './events.ts';
import { OF_FLOWS } from './flows.ts';
import type { Mutant } from './mutant.ts';
import { OF_OUTAGES } from './outages.ts';
import { OF_QUERIES } from './queries.ts';
import { OF_RECEIVING } from './receiving.ts';
import { OF_SCHEDULED } from './scheduled.ts';
import { OF_SENDS } from './sends.ts';
import { OF_SLOW_TIME } from './slow-time.ts';
import { OF_STREAMS } from './streams.ts';
import { OF_TEMPLATES } from './templates.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'two entries of a log may have the same place',
    file: 'tests/faults/simulation/memory/database.ts',
    find: 'keysOf: ({ conversationId, seq }) =>',
    replace: 'keysOf: ({ _id: conversationId, seq }) =>',
    caughtBy: 'simulation',
    from: 2,
  },
  {
    name: 'partitions are taken from members that live',
    file: 'actors/runtime/membership.ts',
    find: '!isOwned(row) || this.#isLost(row)',
    replace: 'row.owner !== this.#memberId',
    caughtBy: 'simulation',
    from: 58,
  },
  {
    name: 'a message does not take its command’s id',
    file: 'actors/conversation/send.ts',
    find: 'await conversation.commit(command.id, decided);\n  return accepted',
    replace: "await conversation.commit(ids.fresh('msg'), decided);\n  return accepted",
    caughtBy: 'simulation',
  },
  {
    name: 'a delivery’s id is not derived from its event',
    file: 'actors/subscription/api.ts',
    find: '_id: deliveryId(ids, id, subscriptionId),',
    replace: "_id: ids.fresh('dlv'),",
    caughtBy: 'simulation',
  },
  {
    name: 'a delivery is posted on the claim of an insert that was refused',
    file: 'actors/subscription/attempt.ts',
    find: "if (inserted && !(await inserted)) return 'not_recorded';",
    replace: 'if (inserted) await inserted;',
    caughtBy: { test: 'tests/unit/actors/subscription/claim-on-insert.test.ts' },
  },
  {
    name: 'what the owner before has claimed is not looked at',
    file: 'actors/subscription/agenda.ts',
    find: '    await this.#workerParts.attemptLog.replay(numbers);',
    replace: '',
    caughtBy: 'simulation',
    from: 7,
  },
  {
    name: 'deliveries are attempted before it is known what the owner before has claimed',
    file: 'actors/subscription/agenda.ts',
    find: 'return numbers.filter((number) => this.#owned.get(number)?.isOpen);',
    replace: 'return numbers;',
    caughtBy: { test: 'tests/unit/actors/subscription/attempt-log.test.ts' },
  },
  {
    name: 'a task keeps what it has to tell when its reminder is settled',
    file: 'actors/task/reminder-sender.ts',
    find: 'if (written?.outbox) await publishOutbox(this.#parts, TASKS.collection, written);',
    replace: '',
    caughtBy: { test: 'tests/parts/actors/task/reminder-sender.test.ts' },
  },
  {
    name: 'a lease that lapsed is revived by an answer that comes late',
    file: 'actors/runtime/membership.ts',
    find: 'if (renewed && this.leaseHeld()) {',
    replace: 'if (renewed) {',
    caughtBy: { test: 'tests/faults/fencing/membership.test.ts' },
  },
  {
    name: 'a process acts on when its lease has ended',
    file: 'actors/runtime/membership.ts',
    find: 'return this.#settings.clock.monotonic() < this.#leaseUntil;',
    replace: 'return this.#leaseUntil >= 0;',
    caughtBy: { test: 'tests/faults/fencing/membership.test.ts' },
  },
  {
    name: 'a send whose answer was lost is not in doubt',
    file: 'actors/channel/in-doubt.ts',
    find: 'if (send.doubtSince !== undefined) return true;',
    replace: 'if (send.attempt >= 0) return false;',
    caughtBy: 'simulation',
    from: 19,
  },
  {
    name: 'a message does not wait for the one before it',
    file: 'actors/channel/dispatch-batch.ts',
    find: 'if (!context.queues.isCompleted(entry.conversationId, entry.send.previousSeq)) {',
    replace: 'if (entry.send.previousSeq < 0) {',
    caughtBy: 'simulation',
    from: 23,
  },
  {
    name: 'nobody looks again after a turn that failed',
    file: 'actors/runtime/mailbox.ts',
    find: '        if (!(fault instanceof StaleState)) this.#settings.onInDoubt(this.#key);',
    replace: '',
    caughtBy: 'simulation',
    from: 22,
  },
  {
    name: 'what is found on record is answered before it is journaled',
    file: 'actors/runtime/mailbox.ts',
    find: 'if (repeat) await journalBarrier();',
    replace: '',
    caughtBy: { test: 'tests/faults/fencing/unjournaled.test.ts' },
  },
  {
    name: 'a claim of a partition whose answer was lost is forgotten',
    file: 'actors/runtime/membership.ts',
    find: 'owner === this.#memberId && this.#host?.holds(name) === false;',
    replace: "name === '' && owner === this.#memberId;",
    caughtBy: 'simulation',
    from: 90,
  },
  {
    name: 'a recovery that failed is not tried again',
    file: 'actors/runtime/host.ts',
    find: 'const mayAct = () => this.#settings.leaseHeld() && this.#held.get(partition) === held;',
    replace: 'let tries = 0;\n    const mayAct = () => tries++ < 1;',
    caughtBy: 'simulation',
    from: 32,
  },
  {
    name: 'a channel key reaches every channel',
    file: 'gateway/route.ts',
    find: 'return caller.channelId !== null && channelId !== undefined && channelId !== caller.channelId;',
    replace: 'return caller.channelId === channelId && channelId === null;',
    caughtBy: { test: 'tests/unit/gateway/refusal-order.test.ts' },
  },
  {
    name: 'a webhook’s signature is not looked at',
    file: 'infra/adapters/network/webhook-body.ts',
    find: 'return given.length === expected.length && timingSafeEqual(given, expected);',
    replace: 'return given.length > 0 || timingSafeEqual(given, expected);',
    caughtBy: { test: 'tests/unit/infra/adapters/network/cloud-webhook.test.ts' },
  },
  {
    name: 'a deal or a task is written over whatever its version',
    file: 'actors/outbox/versioned-document.ts',
    find: 'filter: { _id, version: document.version - 1 },',
    replace: 'filter: { _id },',
    caughtBy: { test: 'tests/faults/fencing/stale-owner.test.ts' },
  },
  {
    name: 'a contact is written over whatever its version',
    file: 'actors/contact/documents.ts',
    find: 'filter: { _id, version: document.version - 1 },',
    replace: 'filter: { _id },',
    caughtBy: { test: 'tests/faults/fencing/stale-owner.test.ts' },
  },
  {
    name: 'an organization is written over whatever its version',
    file: 'actors/organization/documents.ts',
    find: 'filter: { _id: id, version: state.version - 1 },',
    replace: 'filter: { _id: id },',
    caughtBy: { test: 'tests/faults/fencing/stale-owner.test.ts' },
  },
  {
    name: 'the engine lets two entries of a log have the same place',
    file: 'infra/adapters/mongo/indexes.ts',
    find: "options: { unique: true, name: 'conversation_seq' },",
    replace: "options: { name: 'conversation_seq' },",
    caughtBy: { test: 'tests/faults/fencing/stale-owner.test.ts' },
  },
  {
    name: 'members are read before partitions',
    file: 'actors/runtime/membership.ts',
    find: `    const rows = completeRows(await registry.partitions());
    const members = await registry.liveMembers();`,
    replace: `    const members = await registry.liveMembers();
    const rows = completeRows(await registry.partitions());`,
    caughtBy: { test: 'tests/faults/fencing/membership.test.ts' },
  },
  {
    name: 'a member acts until the very end of its lease',
    file: 'actors/runtime/membership.ts',
    find: 'const MARGIN_MS = 400;',
    replace: 'const MARGIN_MS = 0;',
    caughtBy: { test: 'tests/faults/fencing/membership.test.ts' },
  },
  {
    name: 'a member that was called dead renews its lease',
    file: 'infra/adapters/mongo/registry.ts',
    find: "{ _id: memberId, state: { $ne: 'dead' }, $expr: { $not: [EXPIRED] } },",
    replace: '{ _id: memberId, $expr: { $not: [EXPIRED] } },',
    caughtBy: { test: 'tests/faults/fencing/registry.test.ts' },
  },
  {
    name: 'a member whose time has run out renews its lease',
    file: 'infra/adapters/mongo/registry.ts',
    find: "{ _id: memberId, state: { $ne: 'dead' }, $expr: { $not: [EXPIRED] } },",
    replace: "{ _id: memberId, state: { $ne: 'dead' } },",
    caughtBy: { test: 'tests/faults/fencing/registry.test.ts' },
  },
  {
    name: 'a partition is taken whoever has taken it meanwhile',
    file: 'infra/adapters/mongo/registry.ts',
    find: 'filter: { _id: row.name, owner: row.owner, epoch: row.epoch },',
    replace: 'filter: { _id: row.name },',
    caughtBy: { test: 'tests/faults/fencing/registry.test.ts' },
  },
  {
    name: 'a call is judged anew each time its admission is asked',
    file: 'actors/organization/actor.ts',
    find: 'admissions.keep(command.id, admissionAnswer(again));',
    replace: '',
    caughtBy: { test: 'tests/faults/fencing/admission.test.ts' },
  },
  {
    name: 'an address in a URL is not judged before it is connected to',
    file: 'infra/adapters/outbound/address-guard.ts',
    find: 'if (isIP(host) !== 0 && !guard.admits(host, target)) {',
    replace: "if (isIP(host) !== 0 && host === '') {",
    caughtBy: { test: 'tests/unit/infra/adapters/outbound/pinned-address.test.ts' },
  },
  {
    name: 'the addresses of a name are not judged before they are connected to',
    file: 'infra/adapters/outbound/address-guard.ts',
    find: 'const bad = found.find(({ address }) => !guard.admits(address, target));',
    replace: 'const bad = found.find(({ address }) => target === undefined && address);',
    caughtBy: { test: 'tests/unit/infra/adapters/outbound/pinned-address.test.ts' },
  },
  {
    name: 'of a name’s addresses only the first is judged',
    file: 'infra/adapters/outbound/address-guard.ts',
    find: 'const bad = found.find(({ address }) => !guard.admits(address, target));',
    replace: 'const bad = found.slice(0, 1).find(({ address }) => !guard.admits(address, target));',
    caughtBy: { test: 'tests/unit/infra/adapters/outbound/pinned-address.test.ts' },
  },
  {
    name: 'a name is resolved again after it was judged',
    file: 'infra/adapters/outbound/address-guard.ts',
    find: 'else if (all === true) callback(null, [...found]);',
    replace:
      'else if (all === true) void resolve(host).then((again) => callback(null, [...again]));',
    caughtBy: { test: 'tests/unit/infra/adapters/outbound/pinned-address.test.ts' },
  },
  {
    name: 'the address that was connected to is not judged',
    file: 'infra/adapters/outbound/address-guard.ts',
    find: "} else if (guard.admits(socket.remoteAddress ?? '', target)) {",
    replace: '} else if (socket) {',
    caughtBy: { test: 'tests/unit/infra/adapters/outbound/pinned-address.test.ts' },
  },
  {
    name: 'a sealed secret opens in any place',
    file: 'infra/adapters/secrets/vault.ts',
    find: 'return Buffer.from(JSON.stringify([VERSION, orgId, recordId, field]));',
    replace: 'return Buffer.from(JSON.stringify([VERSION, orgId && recordId && field ? 1 : 0]));',
    caughtBy: { test: 'tests/unit/infra/adapters/secrets/copied-secrets.test.ts' },
  },
  {
    name: 'a key is made where secrets are sealed',
    file: 'infra/adapters/secrets/installation-key.ts',
    find: 'if (undecryptable === null || lost) return',
    replace: 'if (undecryptable === null || lost || !vault) return',
    caughtBy: { test: 'tests/parts/infra/adapters/secrets/installation-key.test.ts' },
  },
  {
    name: 'a record without a probe takes any key',
    file: 'infra/adapters/secrets/installation-key.ts',
    find: 'probe === null ? await findUndecryptable(db, vault)',
    replace: 'probe === null ? null',
    caughtBy: { test: 'tests/parts/infra/adapters/secrets/installation-key.test.ts' },
  },
  {
    name: 'a commit is answered before it is journaled',
    file: 'infra/adapters/mongo/client.ts',
    find: "w: standalone ? 1 : 'majority', journal: true",
    replace: 'w: 1, journal: false',
    caughtBy: { test: 'tests/faults/fencing/journaled.test.ts' },
    apart: true,
  },
  ...OF_CALLS,
  ...OF_EVENTS,
  ...OF_FLOWS,
  ...OF_OUTAGES,
  ...OF_QUERIES,
  ...OF_RECEIVING,
  ...OF_SCHEDULED,
  ...OF_SENDS,
  ...OF_SLOW_TIME,
  ...OF_STREAMS,
  ...OF_TEMPLATES,
];
