/**
 * The write that removes commands from an entity's document, cut off at every point. Each committed
 * command is still found, and the one under way is executed once (D132).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMPLETED } from '../../../actors/outbox/completed.ts';
import { COMPLETED_COMMANDS_MAX, IDEMPOTENCY_RETENTION_MS } from '../../../shared/limits.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import type { Store, Write } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';
import { CONTACT, Owner } from './owners.ts';
import { deal, ORG } from './schedules.ts';
import { StillClock } from './still-clock.ts';

const DEAL = 'dea_1';
const create: CommandOf = { id: DEAL, type: 'create', orgId: ORG, ...deal };
const keyed = (number: number): CommandOf => ({
  ...{ id: `cmd_${number}`, type: 'change', valueCents: number, lasting: true },
  ...{ orgId: ORG, origin: 'api' },
});

/** With it and the create there is one more than the document holds. */
const LAST = COMPLETED_COMMANDS_MAX;

type Cut = 'lost on its way' | 'carried out, its answer lost';

const isRecord = (write: Write): boolean => 'insert' in write && write.insert === COMPLETED;
const isDocument = (write: Write): boolean => 'update' in write && write.update === 'deals';

class Fixture {
  readonly database = new Database();
  readonly clock = new StillClock();
  readonly #plain = modelStore(this.database);
  /** Cuts the next commit of such writes. */
  #cut: { readonly of: (write: Write) => boolean; readonly how: Cut } | null = null;
  /** In the order in which they were sent. */
  readonly sent: Write[] = [];

  readonly store: Store = {
    ...this.#plain,
    commit: async (writes) => {
      this.sent.push(...writes);
      const cut = this.#cut && writes.some(this.#cut.of) ? this.#cut.how : null;
      if (cut) this.#cut = null;
      if (cut === 'lost on its way') throw new Error('the store could not say');
      const outcomes = await this.#plain.commit(writes);
      if (cut) throw new Error('the store could not say');
      return outcomes;
    },
  };

  /** A turn of a new owner, which reads the record. */
  ask(command: CommandOf, repeat = false) {
    return new Owner('deal', this.store, this.clock).turn(DEAL, command, repeat);
  }

  async fill(): Promise<void> {
    this.database.apply({ insert: 'contacts', document: { _id: CONTACT, orgId: ORG } });
    this.database.apply({ insert: 'organizations', document: { _id: ORG, members: [] } });
    await this.ask(create);
    for (let number = 1; number < LAST; number++) await this.ask(keyed(number));
  }

  cut(of: (write: Write) => boolean, how: Cut): void {
    this.#cut = { of, how };
  }

  get version(): number {
    return Number(this.database.byId('deals', DEAL)?.version);
  }
}

describe('the commit by which commands leave the document', () => {
  for (const [what, of] of [
    ['their records', isRecord],
    ['the document', isDocument],
  ] as const) {
    for (const how of ['lost on its way', 'carried out, its answer lost'] as const) {
      test(`${what} ${how}: each command is done once`, async () => {
        const fixture = new Fixture();
        await fixture.fill();
        fixture.cut(of, how);
        await assert.rejects(fixture.ask(keyed(LAST)));
        fixture.clock.pass(IDEMPOTENCY_RETENTION_MS);
        assert.equal((await fixture.ask(keyed(LAST), true)).status, 200);
        const { version } = fixture;
        assert.equal(version, LAST + 1, 'one version for each command, and one for the create');
        for (let number = 1; number <= LAST; number++) await fixture.ask(keyed(number));
        assert.equal(fixture.version, version, 'nothing is decided again');
      });
    }
  }

  test('comes after the one of their records', async () => {
    const fixture = new Fixture();
    await fixture.fill();
    await fixture.ask(keyed(LAST));
    const at = (of: (write: Write) => boolean) => fixture.sent.findLastIndex(of);
    assert.ok(at(isRecord) >= 0 && at(isRecord) < at(isDocument));
  });
});
