/**
 * Protections, each switched off by one change of the source, and what has to notice it. A mutant
 * that survives shows a protection that nothing watches.
 */

export interface Mutant {
  readonly name: string;
  /** From the project's root. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Simulated worlds, or a file of tests. */
  readonly caughtBy: 'simulation' | { readonly test: string };
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'two entries of a log may have the same place',
    file: 'tests/simulation/memory/database.ts',
    find: "paths: ['conversationId', 'seq']",
    replace: "paths: ['_id']",
    caughtBy: 'simulation',
  },
  {
    name: 'partitions are taken from members that live',
    file: 'actors/runtime/membership.ts',
    find: '(row.owner === null || !view.living.has(row.owner) || this.#isLost(row)) &&',
    replace: 'row.owner !== this.#memberId &&',
    caughtBy: 'simulation',
  },
  {
    name: 'what a crash left in outboxes is not handed on',
    file: 'actors/conversation/kind.ts',
    find: `    await writeSnapshots(parts, newestOf(entries), epoch);
    for (const entry of entries) void handOnAgain(parts, entry);`,
    replace: '    await writeSnapshots(parts, newestOf(entries), epoch);',
    caughtBy: 'simulation',
  },
  {
    name: 'a message does not take its command’s id',
    file: 'actors/conversation/actor.ts',
    find: 'await this.commit(command.id, accepted);',
    replace: "await this.commit(this.parts.world.ids.fresh('msg'), accepted);",
    caughtBy: 'simulation',
  },
  {
    name: 'a delivery’s id is not derived from its event',
    file: 'actors/organization/fan-out.ts',
    find: '_id: deliveryId(world.ids, event.id, id),',
    replace: "_id: world.ids.fresh('dlv'),",
    caughtBy: 'simulation',
  },
  {
    name: 'a process acts on when its lease has ended',
    file: 'actors/runtime/membership.ts',
    find: 'return this.#settings.clock.monotonic() < this.#leaseUntil;',
    replace: 'return this.#leaseUntil >= 0;',
    caughtBy: { test: 'tests/fences/membership.test.ts' },
  },
  {
    name: 'a send whose answer was lost is not in doubt',
    file: 'actors/channel/doubt.ts',
    find: 'if (send.doubtSince !== undefined) return true;',
    replace: 'if (send.attempt >= 0) return false;',
    caughtBy: 'simulation',
  },
  {
    name: 'a message does not wait for the one before it',
    file: 'actors/channel/send-round.ts',
    find: 'if (!desk.lanes.isSettled(entry.conversationId, entry.send.previousSeq)) {',
    replace: 'if (entry.send.previousSeq < 0) {',
    caughtBy: 'simulation',
  },
  {
    name: 'nobody looks again after a turn that failed',
    file: 'actors/runtime/mailbox.ts',
    find: '          this.#settings.onDoubt();',
    replace: '',
    caughtBy: 'simulation',
  },
  {
    name: 'a claim of a partition whose answer was lost is forgotten',
    file: 'actors/runtime/membership.ts',
    find: 'owner === this.#memberId && this.#host?.holds(name) === false;',
    replace: "name === '' && owner === this.#memberId;",
    caughtBy: 'simulation',
  },
  {
    name: 'a recovery that failed is not tried again',
    file: 'actors/runtime/host.ts',
    find: 'while (alive() && this.#held.get(name) === held) {',
    replace: 'for (let tries = 0; tries < 1; tries++) {',
    caughtBy: 'simulation',
  },
  {
    name: 'a channel key reaches every channel',
    file: 'gateway/scope.ts',
    find: 'return caller.channelId !== null && channelId !== undefined && channelId !== caller.channelId;',
    replace: 'return caller.channelId === channelId && channelId === null;',
    caughtBy: { test: 'tests/gateway/refusal-order.test.ts' },
  },
  {
    name: 'a webhook’s signature is not looked at',
    file: 'infra/network/signature.ts',
    find: 'return given.length === expected.length && timingSafeEqual(given, expected);',
    replace: 'return given.length > 0 || timingSafeEqual(given, expected);',
    caughtBy: { test: 'tests/network/cloud-webhook.test.ts' },
  },
  {
    name: 'a deal or a task is written over whatever its version',
    file: 'actors/outbox/record.ts',
    find: 'filter: { _id, version: document.version - 1 },',
    replace: 'filter: { _id },',
    caughtBy: { test: 'tests/fences/stale-owner.test.ts' },
  },
  {
    name: 'a contact is written over whatever its version',
    file: 'actors/contact/actor.ts',
    find: 'filter: { _id, version: document.version - 1 },',
    replace: 'filter: { _id },',
    caughtBy: { test: 'tests/fences/stale-owner.test.ts' },
  },
  {
    name: 'an organization is written over whatever its version',
    file: 'actors/organization/documents.ts',
    find: 'filter: { _id: id, version: state.version - 1 },',
    replace: 'filter: { _id: id },',
    caughtBy: { test: 'tests/fences/stale-owner.test.ts' },
  },
  {
    name: 'the engine lets two entries of a log have the same place',
    file: 'infra/mongo/indexes.ts',
    find: "options: { unique: true, name: 'conversation_seq' },",
    replace: "options: { name: 'conversation_seq' },",
    caughtBy: { test: 'tests/fences/stale-owner.test.ts' },
  },
  {
    name: 'members are read before partitions',
    file: 'actors/runtime/membership.ts',
    find: `    const rows = completeRows(await registry.partitions());
    const members = await registry.liveMembers();`,
    replace: `    const members = await registry.liveMembers();
    const rows = completeRows(await registry.partitions());`,
    caughtBy: { test: 'tests/fences/membership.test.ts' },
  },
  {
    name: 'a member acts until the very end of its lease',
    file: 'actors/runtime/membership.ts',
    find: 'const MARGIN_MS = 400;',
    replace: 'const MARGIN_MS = 0;',
    caughtBy: { test: 'tests/fences/membership.test.ts' },
  },
  {
    name: 'a member that was called dead renews its lease',
    file: 'infra/mongo/registry.ts',
    find: "{ _id: memberId, state: { $ne: 'dead' }, $expr: { $not: [EXPIRED] } },",
    replace: '{ _id: memberId, $expr: { $not: [EXPIRED] } },',
    caughtBy: { test: 'tests/fences/registry.test.ts' },
  },
  {
    name: 'a member whose time has run out renews its lease',
    file: 'infra/mongo/registry.ts',
    find: "{ _id: memberId, state: { $ne: 'dead' }, $expr: { $not: [EXPIRED] } },",
    replace: "{ _id: memberId, state: { $ne: 'dead' } },",
    caughtBy: { test: 'tests/fences/registry.test.ts' },
  },
  {
    name: 'a partition is taken whoever has taken it meanwhile',
    file: 'infra/mongo/registry.ts',
    find: 'filter: { _id: row.name, owner: row.owner, epoch: row.epoch },',
    replace: 'filter: { _id: row.name },',
    caughtBy: { test: 'tests/fences/registry.test.ts' },
  },
  {
    name: 'a call is judged anew each time its admission is asked',
    file: 'actors/organization/actor.ts',
    find: 'this.#admissions.keep(command.id, answer);',
    replace: '',
    caughtBy: { test: 'tests/fences/admission.test.ts' },
  },
  {
    name: 'an address in a URL is not judged before it is connected to',
    file: 'infra/outbound/guarded-agent.ts',
    find: 'if (isIP(host) !== 0 && !guard.admits(host, target)) {',
    replace: "if (isIP(host) !== 0 && host === '') {",
    caughtBy: { test: 'tests/outbound/pinned-address.test.ts' },
  },
  {
    name: 'the addresses of a name are not judged before they are connected to',
    file: 'infra/outbound/guarded-agent.ts',
    find: 'const bad = found.find(({ address }) => !guard.admits(address, target));',
    replace: 'const bad = found.find(({ address }) => target === undefined && address);',
    caughtBy: { test: 'tests/outbound/pinned-address.test.ts' },
  },
  {
    name: 'of a name’s addresses only the first is judged',
    file: 'infra/outbound/guarded-agent.ts',
    find: 'const bad = found.find(({ address }) => !guard.admits(address, target));',
    replace: 'const bad = found.slice(0, 1).find(({ address }) => !guard.admits(address, target));',
    caughtBy: { test: 'tests/outbound/pinned-address.test.ts' },
  },
  {
    name: 'a name is resolved again after it was judged',
    file: 'infra/outbound/guarded-agent.ts',
    find: 'else if (all === true) callback(null, [...found]);',
    replace:
      'else if (all === true) void resolve(host).then((again) => callback(null, [...again]));',
    caughtBy: { test: 'tests/outbound/pinned-address.test.ts' },
  },
  {
    name: 'the address that was connected to is not judged',
    file: 'infra/outbound/guarded-agent.ts',
    find: "} else if (guard.admits(socket.remoteAddress ?? '', target)) {",
    replace: '} else if (socket) {',
    caughtBy: { test: 'tests/outbound/pinned-address.test.ts' },
  },
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
    caughtBy: { test: 'tests/network/desk.test.ts' },
  },
  {
    name: 'a sealed secret opens in any place',
    file: 'infra/secrets/vault.ts',
    find: 'return Buffer.from(JSON.stringify([version, orgId, recordId, field]));',
    replace: 'return Buffer.from(JSON.stringify([version, orgId && recordId && field ? 1 : 0]));',
    caughtBy: { test: 'tests/security/copied-secrets.test.ts' },
  },
  {
    name: 'a commit is answered before it is journaled',
    file: 'infra/mongo/client.ts',
    find: "w: alone ? 1 : 'majority', journal: true",
    replace: 'w: 1, journal: false',
    caughtBy: { test: 'tests/fences/journaled.test.ts' },
  },
];
