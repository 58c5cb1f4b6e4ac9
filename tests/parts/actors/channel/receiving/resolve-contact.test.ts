/** People seen under many ids at the same moment become one contact each, with all of it (D141). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ChannelEnvironment } from '../../../../../actors/channel/readiness/configuration.ts';
import {
  createContactCache,
  resolveContact,
} from '../../../../../actors/channel/receiving/resolve-contact.ts';
import { ContactActor } from '../../../../../actors/contact/actor.ts';
import { readContact } from '../../../../../actors/contact/read-contact.ts';
import type { Environment } from '../../../../../actors/environment.ts';
import type { ContactDocument } from '../../../../../actors/model/contact.ts';
import { Relay } from '../../../../../actors/outbox/relay.ts';
import { Forwarded } from '../../../../../actors/runtime/turn.ts';
import { createIds } from '../../../../../infra/adapters/ids/ids.ts';
import type { Address, Answer, Bus, Command, CommandOf } from '../../../../../shared/ports/bus.ts';
import type { NetworkPerson } from '../../../../../shared/ports/network-event.ts';
import { StillClock } from '../../../../faults/fencing/still-clock.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../../support/engine.ts';
import type { Store, Stored, Write } from '../../../../support/plain-store.ts';
import { UNHEARD } from '../../../../support/unheard.ts';

const ORG = 'org_1';
const SCOPE = { orgId: ORG, origin: 'contact' } as const;
const DONE: Answer = { status: 200, body: '{}' };
const PERSON = fc.nat(2);
/** Of which person, whether the number is shown, and which of the two opaque ids. */
const sightings = fc.array(
  fc.record({
    person: PERSON,
    withPhone: fc.boolean(),
    ids: fc.subarray([0, 1]),
    writes: fc.boolean(),
    after: fc.nat(6),
  }),
  { minLength: 2, maxLength: 14 },
);

function pausingStore(database: Database, pause: () => Promise<void>): Partial<Store> {
  return {
    async commit(writes: readonly Write[]) {
      await pause();
      return writes.map((write) => database.apply(write));
    },
    async byId<T extends Stored>(collection: string, id: string) {
      await pause();
      return (database.find(collection, { _id: id }, {})[0] as T | undefined) ?? null;
    },
    find: <T extends Stored>(collection: string, filter: Record<string, unknown>) =>
      Promise.resolve(database.find(collection, filter, {}) as unknown as T[]),
    findOne: () => Promise.resolve(null),
  };
}

/** Contacts with the actors' own code over the simulated record, one turn of each at a time. */
function setPeople(pauses: () => number) {
  const database = new Database();
  const pause = async (): Promise<void> => {
    for (let left = pauses(); left > 0; left--) await new Promise(setImmediate);
  };
  const store = pausingStore(database, pause);
  const turns = new Map<string, Promise<unknown>>();
  const actors = new Map<string, ContactActor>();
  const ask = (to: Address, command: Command): Promise<Answer> => {
    if (to.kind !== 'contact') return Promise.resolve(DONE);
    const actor = actors.get(to.key) ?? new ContactActor(to.key, { environment, relay, audience });
    actors.set(to.key, actor);
    const context = { deadline: Number.MAX_SAFE_INTEGER, repeat: false, epoch: 1 };
    const turn = (turns.get(to.key) ?? Promise.resolve()).then(async () => {
      await pause();
      return actor.turn(command as CommandOf<'contact'>, context);
    });
    const settled = turn.catch(() => undefined);
    turns.set(to.key, settled);
    return turn.catch((fault: unknown) => {
      if (!(fault instanceof Forwarded)) throw fault;
      return ask(fault.addressed.to, fault.addressed.command);
    });
  };
  const clock = new StillClock();
  const ids = createIds(new Uint8Array(32).fill(3));
  const bus: Pick<Bus, 'ask'> = { ask };
  const parts = { store, bus, clock, ids, log: SILENT, live: UNHEARD, leaseHeld: () => true };
  const environment = parts as unknown as Environment;
  const relay = new Relay(environment, { record: async () => true });
  const audience = { isHearing: async () => false };
  const context = {
    channelId: 'chn_1',
    environment: environment as ChannelEnvironment,
    contacts: createContactCache(),
  };
  return { context, database, bus, store: environment.store, ids };
}

function shown(person: number, withPhone: boolean, places: readonly number[]): NetworkPerson {
  const opaque = places.map((place) => `BR.${person}${place}`);
  const phone = withPhone ? `5511900${person}` : '';
  const [first = phone] = opaque;
  return { phone, networkId: withPhone ? phone : first, aliases: opaque };
}

test('whatever is seen at once, each person is one contact and keeps every field', async () => {
  await fc.assert(
    fc.asyncProperty(sightings, fc.infiniteStream(fc.nat(3)), async (seen, stream) => {
      const people = setPeople(() => stream.next().value ?? 0);
      const { context, bus, store } = people;
      const options = { deadline: Number.MAX_SAFE_INTEGER };
      const written = new Map<number, string[]>();
      const see = async (at: number): Promise<void> => {
        const { person, withPhone, ids, writes, after } = seen[at] ?? assert.fail();
        if (!withPhone && ids.length === 0) return;
        for (let left = after; left > 0; left--) await new Promise(setImmediate);
        const who = shown(person, withPhone, ids);
        const id = await resolveContact(context, SCOPE, who);
        if (!writes) return;
        const to = { kind: 'contact', key: id } as const;
        const { phone } = who;
        const made = { profileName: null, source: 'contact', origin: 'contact' } as const;
        const facts = { orgId: ORG, phone, ...made };
        const ensured = await bus.ask(to, { id: `cmd_${at}`, type: 'ensure', ...facts }, options);
        assert.equal(ensured.status, 200);
        const fields = { [`f${at}`]: 'x' };
        const set = { id: `set_${at}`, type: 'flow-change', orgId: ORG, phone, fields } as const;
        await bus.ask(to, set, options);
        written.set(person, [...(written.get(person) ?? []), `f${at}`]);
      };
      await Promise.all(seen.map((_, at) => see(at)));
      for (const person of [0, 1, 2]) {
        const whole = await resolveContact(context, SCOPE, shown(person, true, [0, 1]));
        const contact = await readContact(store, whole);
        const fields = written.get(person) ?? [];
        if (!contact) {
          assert.deepEqual(fields, []);
          continue;
        }
        assert.deepEqual(Object.keys(contact.fields).sort(), fields.sort());
        assert.equal(contact.phone, `5511900${person}`);
        for (const place of [0, 1]) {
          // An id that was resolved before leads there too.
          const resolved = await resolveContact(context, SCOPE, shown(person, false, [place]));
          assert.equal((await readContact(store, resolved))?._id, contact._id);
        }
      }
      const live = people.database
        .find<ContactDocument>('contacts', { orgId: ORG }, {})
        .map((each) => each.phone);
      assert.deepEqual(live, [...new Set(live)], 'one contact of each number');
    }),
    { numRuns: 300 },
  );
});
