/** A contact's message that comes late starts no flow (D409). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntryDocument } from '../../../../../actors/model/conversation.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { SendFixture } from '../send-fixture.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PHONE = '5511987654321';

interface Report {
  readonly agoMs: number;
  /** How long ago the network made its report, by its own clock. */
  readonly reportedAgoMs?: number;
  readonly type?: 'message' | 'echo';
}

/** A network whose clock may be behind ours. */
class Reports {
  readonly fixture = new SendFixture();
  behindMs: number | null = 0;
  #events: readonly NetworkEvent[] = [];
  #reportedAt: number | undefined;
  #made = 0;

  static async opened(): Promise<Reports> {
    const reports = new Reports();
    reports.fixture.configure({ ref: 'vendas' });
    reports.fixture.driver = {
      behindMs: () => reports.behindMs,
      parseWebhook: () => {
        const reportedAt = reports.#reportedAt;
        const told = reportedAt === undefined ? {} : { reportedAt };
        return { verified: true, events: reports.#events, ...told };
      },
    };
    await reports.fixture.own();
    return reports;
  }

  /** A contact opens the chat; the entries of it that were offered to the flows. */
  async open(agoMs: number): Promise<number> {
    const before = this.fixture.entries().length;
    const person = { phone: PHONE, networkId: `${PHONE}@c.us` };
    const at = this.fixture.clock.now() - agoMs;
    this.#events = [{ type: 'welcome', welcomeId: `wamid.${++this.#made}`, at, ...person }];
    const answered = this.fixture.hook();
    await this.fixture.settle();
    assert.equal(await answered, 200);
    return this.fixture.entries().slice(before).filter(isOffered).length;
  }

  /** True where the message was offered to the flows. */
  async post({ agoMs, reportedAgoMs, type = 'message' }: Report): Promise<boolean> {
    const now = this.fixture.clock.now();
    const externalId = `3EB0${++this.#made}`;
    const person = { phone: PHONE, networkId: `${PHONE}@c.us` };
    const said = { externalId, kind: 'text', text: 'oi', at: now - agoMs, ...person };
    this.#events = [{ type, ...said }];
    this.#reportedAt = reportedAgoMs === undefined ? undefined : now - reportedAgoMs;
    const answered = this.fixture.hook();
    await this.fixture.settle();
    assert.equal(await answered, 200);
    const entry = this.fixture.entries().find(({ message }) => message?.externalId === externalId);
    assert.equal(entry?.message?.createdAt, now - agoMs, 'it keeps its own time');
    return isOffered(entry);
  }
}

function isOffered({ outbox = [] }: EntryDocument): boolean {
  return outbox.some(
    (item) => item.type === 'command' && item.command.type === 'flow-route-message',
  );
}

test('a webhook 5 or 30 hours late starts no flow, and the next one does', async () => {
  const reports = await Reports.opened();
  for (const hours of [5, 30]) {
    assert.equal(await reports.post({ agoMs: hours * HOUR_MS }), false);
    assert.equal(await reports.post({ agoMs: hours * HOUR_MS, reportedAgoMs: 0 }), false);
  }
  assert.equal(await reports.post({ agoMs: 14 * MINUTE_MS }), true);
  const [late] = reports.fixture.late();
  assert.deepEqual(
    [late?.ref, late?.count, late?.lateMs, late?.behindMs],
    ['vendas', 4, 30 * HOUR_MS, 0],
  );
  await reports.fixture.pass(61 * MINUTE_MS, MINUTE_MS);
  assert.deepEqual(reports.fixture.late(), [], 'the doctor forgets it after an hour');
});

test('a bridge whose clock is off silences no greeting, and is shown', async () => {
  const reports = await Reports.opened();
  reports.behindMs = 5 * HOUR_MS;
  const fresh = { agoMs: 5 * HOUR_MS, reportedAgoMs: 5 * HOUR_MS };
  assert.equal(await reports.post(fresh), true);
  const [shown] = reports.fixture.late();
  assert.deepEqual([shown?.count, shown?.behindMs], [0, 5 * HOUR_MS]);
  assert.equal(await reports.post({ ...fresh, agoMs: 6 * HOUR_MS }), false);
});

test('a bridge ahead of our clock silences no greeting either', async () => {
  const reports = await Reports.opened();
  reports.behindMs = -5 * HOUR_MS;
  assert.equal(await reports.post({ agoMs: MINUTE_MS, reportedAgoMs: -5 * HOUR_MS }), true);
});

test('a message typed on our own phone is not counted as late', async () => {
  const reports = await Reports.opened();
  assert.equal(await reports.post({ agoMs: 5 * HOUR_MS, type: 'echo' }), false);
  assert.deepEqual(reports.fixture.late(), []);
});

test('a chat that was opened hours ago is not greeted, unless a clock says so', async () => {
  const reports = await Reports.opened();
  assert.equal(await reports.open(5 * HOUR_MS), 0);
  assert.equal(await reports.open(MINUTE_MS), 1);
  reports.behindMs = 5 * HOUR_MS;
  assert.equal(await reports.open(5 * HOUR_MS), 1);
});
