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
    caughtBy: 'simulation',
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
];
