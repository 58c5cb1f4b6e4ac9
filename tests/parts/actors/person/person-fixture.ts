/** One person's actor on a store in memory, beside organizations that are documents alone. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import type { MemberEntry } from '../../../../actors/domain/organization.ts';
import type { Environment } from '../../../../actors/environment.ts';
import { personKind } from '../../../../actors/person/actor.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import { personOfEmail } from '../../../../shared/entity-ids.ts';
import type { Command, CommandOf } from '../../../../shared/ports/bus.ts';
import type { Mail, MailOutcome } from '../../../../shared/ports/mailer.ts';
import type { ActorKind } from '../../../../shared/vocabulary.ts';
import type { SignInWay } from '../../../../shared/wire/person-commands.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { Document, Unkeyed } from '../../../support/plain-store.ts';

export const EMAIL = 'victim@b.example';
export const ids = createIds(Buffer.alloc(32, 7));
export const PERSON = personOfEmail(ids, EMAIL);

/** Where the person is a member, as documents have it. */
export type Entry = Partial<MemberEntry>;

const SignedInSchema = v.object({
  memberships: v.array(v.object({ orgId: v.string() })),
  way: v.string(),
  passphrase: v.string(),
  offersPassphrase: v.boolean(),
});

export class PersonFixture {
  readonly clock = new ManualClock();
  readonly mails: Mail[] = [];
  /** Commands to organizations. */
  readonly told: (Command & { readonly orgId: string })[] = [];
  outcome: MailOutcome = { outcome: 'sent' };
  reachesMailboxes = true;
  whenMailed: () => Promise<void> = async () => undefined;
  readonly environment: Environment;
  readonly #database = new Database();
  /** Of the session that a `set-passphrase` names. */
  #session = { way: 'link', at: 0 };
  #made = 0;

  constructor() {
    const store = modelStore(this.#database);
    const mailer = {
      send: async (mail: Mail) => {
        this.mails.push(mail);
        await this.whenMailed();
        return this.outcome;
      },
    };
    Object.defineProperty(mailer, 'reachesMailboxes', { get: () => this.reachesMailboxes });
    const bus = {
      ask: async ({ kind, key }: { kind: string; key: string }, command: Command) =>
        kind === 'person' ? this.#person(key, command) : this.#organization(key, command),
    };
    const parts = { store, clock: this.clock, log: SILENT, ids, bus, mailer };
    const settings = { panelUrl: 'http://panel.test' };
    this.environment = { ...parts, settings } as unknown as Environment;
  }

  /** By an actor of its own: nothing but the store remembers. */
  #person(key: string, command: Command) {
    const actor = personKind(this.environment).open(key, 1, false);
    const asked = command as CommandOf<ActorKind>;
    return actor.turn(asked, { deadline: 0, repeat: false, epoch: 1 });
  }

  /** The person's entry in an organization; without an e-mail of its own, the person's. */
  member(orgId: string, entry: Entry = {}): void {
    const own = { id: `mbr_${orgId}`, ref: 'v', name: 'Vi', email: EMAIL, person: PERSON };
    const members = [{ ...own, ...entry }];
    const change = { $set: { name: `Org ${orgId}`, members } };
    this.#database.apply({ update: 'organizations', filter: { _id: orgId }, change, upsert: true });
  }

  write(collection: Unkeyed, document: Document): void {
    const { _id, ...fields } = document;
    const change = { $set: fields };
    this.#database.apply({ update: collection, filter: { _id }, change, upsert: true });
  }

  async ask(command: object): Promise<{ status: number; body: unknown }> {
    this.#made += 1;
    const asked = { id: `cmd_${this.#made}`, type: '', ...command };
    const { status, body } = await this.#person(PERSON, asked);
    return { status, body: JSON.parse(body) };
  }

  /** Sets a passphrase from a new session of the organization. */
  set(orgId: string, way: SignInWay, [proof, current]: readonly [string, string?]) {
    this.#session = { way, at: this.clock.now() };
    const by = {
      ...{ memberId: `mbr_${orgId}`, name: 'Vi', role: 'attendant' },
      sessionId: 'ses_1',
    };
    return this.ask({
      ...{ type: 'set-passphrase', parameters: { cost: 'c', salt: 's' }, proof, peer: 'peer' },
      ...{ sessionId: 'ses_1', orgId, current: current ?? null },
      by: { ...by, address: '198.51.100.7', operation: 'setPassphrase' },
    });
  }

  /** Organizations that the passphrase signs in to; null where it signs in to none. */
  async opens(proof: string): Promise<readonly string[] | null> {
    this.clock.advance(60_000);
    this.#made += 1;
    const ticket = `ticket_${this.#made}`;
    const { status, body } = await this.ask({ type: 'guess', peer: 'peer', proof, ticket });
    if (status === 401) return null;
    assert.equal(status, 200, JSON.stringify(body));
    const { memberships } = v.parse(SignedInSchema, body);
    const places = memberships.map(({ orgId }) => orgId).toSorted();
    for (const orgId of ['a', 'b']) {
      const used = await this.ask({ type: 'use-ticket', digest: ticket, orgId });
      assert.equal(used.status === 200, places.includes(orgId), `the ticket at ${orgId}`);
    }
    return places;
  }

  async useLink(digest: string) {
    this.#made += 1;
    const used = await this.ask({ type: 'use-link', digest, ticket: `ticket_${this.#made}` });
    return used.status === 200 ? v.parse(SignedInSchema, used.body) : null;
  }

  async #organization(orgId: string, command: Command) {
    this.told.push({ ...command, orgId });
    const { way, at } = this.#session;
    const data = { way, createdAt: new Date(at).toISOString() };
    return { status: 200, body: JSON.stringify({ data }) };
  }
}
