/**
 * A command under an `Idempotency-Key`, or of an outbox, is committed and its answer is lost. It is
 * repeated up to a day later, after other callers' changes, to another owner: it changes nothing
 * (I19, D132). On the real engine and on the simulation's model of it.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { newDefaultPipeline } from '../../../actors/domain/organization.ts';
import { ASK_DEADLINE_MS, IDEMPOTENCY_RETENTION_MS } from '../../../shared/limits.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import type { ActorKind } from '../../../shared/vocabulary.ts';
import { applied } from '../../support/actors/domain/organization-fixture.ts';
import type { Document, Store } from '../../support/plain-store.ts';
import { bothStores } from './both-stores.ts';
import { ids } from './environment.ts';
import { SHOP } from './organization-owner.ts';
import { CONTACT, FLOW, Owner } from './owners.ts';
import { lasting, ORG, SCHEDULES, type Schedule, said } from './schedules.ts';
import { StillClock } from './still-clock.ts';

/** When the repeat comes, and how many other commands before it. */
interface Delay {
  readonly what: string;
  readonly ms: number;
  readonly fillers: number;
  /** Asked again by the gateway, within the deadline of its call. */
  readonly plain?: boolean;
}

const DELAYS: readonly Delay[] = [
  { what: '31 s later', ms: 31_000, fillers: 0 },
  { what: 'after 20 others', ms: 1_000, fillers: 20 },
  { what: 'a day later', ms: IDEMPOTENCY_RETENTION_MS, fillers: 0 },
  { what: 'a day and 210 others later', ms: IDEMPOTENCY_RETENTION_MS, fillers: 210 },
  { what: 'plain, after 20 others', ms: 1_000, fillers: 20, plain: true },
  { what: 'plain, after 210 others', ms: ASK_DEADLINE_MS, fillers: 210, plain: true },
];

async function furnish(store: Store): Promise<void> {
  const { id: _, ...state } = applied(SHOP);
  const contact = { _id: CONTACT, orgId: ORG, phone: said.phone, name: 'Ana', optIn: true };
  const pipelines = [newDefaultPipeline(ids, ORG)];
  const version = { _id: FLOW.versionId, flowId: FLOW.flowId, orgId: ORG, writtenAt: 0 };
  const steps = [{ id: 'fim', do: 'delay', for: '30d', next: null }];
  await store.commit([
    { insert: 'organizations', document: { _id: ORG, ...state, pipelines } },
    { insert: 'contacts', document: contact },
    { insert: 'flowVersions', document: { ...version, steps } },
  ]);
}

type Fields = Readonly<Record<string, unknown>>;

/** Everything that has been decided about the entity. */
async function recordOf(store: Store, { kind, key }: { kind: ActorKind; key: string }) {
  if (kind === 'conversation') {
    const entries = await store.find('entries', { conversationId: key }, { sort: { seq: 1 } });
    return entries.map(({ _id, after: state, message }) => [_id, state, message]);
  }
  const document: Fields = (await store.byId<Document>(`${kind}s`, key)) ?? {};
  // Publication clears the outbox at its own time, so it is left out.
  const { outbox: _, pending: __, ...decided } = document;
  return decided;
}

class Play {
  readonly #store: Store;
  readonly #clock = new StillClock();
  readonly #schedule: Schedule;
  readonly #key: string;
  readonly #owners: Owner[] = [];

  constructor(store: Store, schedule: Schedule, name: string) {
    this.#store = store;
    this.#schedule = schedule;
    const creates = schedule.late.type === 'create' || schedule.key.startsWith('cnv_');
    this.#key = creates ? `${schedule.key}_${name}` : schedule.key + name;
  }

  /** A turn of a new owner, which reads the record. */
  async ask(command: CommandOf, repeat = false) {
    const owner = new Owner(this.#schedule.kind, this.#store, this.#clock);
    this.#owners.push(owner);
    const answer = await owner.turn(this.#key, this.#own(command), repeat);
    assert.ok([200, 201].includes(answer.status), `${answer.status} ${answer.body}`);
    return answer;
  }

  /** Entries of all conversations share their ids. */
  #own(command: CommandOf): CommandOf {
    if (this.#schedule.kind === 'conversation') {
      const named =
        'messageId' in command ? { messageId: `${command.messageId} ${this.#key}` } : {};
      return { ...command, id: `${command.id} ${this.#key}`, ...named };
    }
    return command.type === 'create' ? { ...command, id: this.#key } : command;
  }

  async run({ ms, fillers, plain = false }: Delay): Promise<void> {
    const as = plain ? (command: CommandOf) => command : lasting;
    const { first, late, others, filler, shows = '' } = this.#schedule;
    if (first && late.type !== 'create') await this.ask(first);
    const answered = await this.ask(as(late));
    for (let number = 0; number < fillers; number++) await this.ask(as(filler(number)));
    this.#clock.pass(ms);
    for (const other of others) await this.ask(other);
    const place = { kind: this.#schedule.kind, key: this.#key };
    const decided = await recordOf(this.#store, place);
    const again = await this.ask(as(late), plain);
    assert.deepEqual(await recordOf(this.#store, place), decided, 'nothing is decided again');
    assert.equal(again.status, answered.status, 'answered as then');
    assert.ok(again.body.includes(shows), `${again.body} shows the present state`);
    this.#tellsEachTransitionOnce();
  }

  #tellsEachTransitionOnce(): void {
    const told = this.#owners.flatMap(({ asked }) =>
      asked.flatMap((command) => (command.type === 'record-events' ? command.events : [])),
    );
    const transitions = new Set(told.map(({ event, data }) => JSON.stringify([event, data])));
    assert.equal(new Set(told.map(({ id }) => id)).size, transitions.size);
  }
}

for (const [name, storeOf] of bothStores()) {
  describe(`a command asked again on ${name}`, () => {
    let store: Store;
    before(async () => {
      store = storeOf();
      await furnish(store);
    });
    for (const [at, delay] of DELAYS.entries()) {
      for (const schedule of SCHEDULES) {
        if (delay.fillers > 20 && schedule.crowded !== true) continue;
        test(`${delay.what}, ${schedule.what} of a ${schedule.kind}, changes nothing`, () =>
          new Play(store, schedule, String(at)).run(delay));
      }
    }
  });
}
