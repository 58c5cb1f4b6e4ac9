/**
 * Readiness probe: when a channel's network is asked, and which answers its organization receives.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type {
  ChannelConfiguration,
  ChannelEnvironment,
} from '../../../../../actors/channel/readiness/configuration.ts';
import { ReadinessProbe } from '../../../../../actors/channel/readiness/readiness-probe.ts';
import type { ReadinessReport } from '../../../../../actors/domain/network-readiness.ts';
import { LOG_EVENT } from '../../../../../shared/log-events.ts';
import { networkFault } from '../../../../../shared/network-fault.ts';
import type { SendOutcome } from '../../../../../shared/ports/network.ts';
import type { Readiness } from '../../../../../shared/ports/network-event.ts';
import { SILENT } from '../../../../support/engine.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const READY: Readiness = { ready: true };
const DOWN: Readiness = { ready: 'unknown', cause: 'ECONNREFUSED', fault: networkFault('refused') };
const REFUSED = 'A rede do número recusou a conexão.';
const MINUTE = 60_000;
const ignore = (): void => undefined;

interface Entry {
  readonly networkReady: boolean;
  readonly networkReason: string | null;
  readonly networkRevision: number;
  readonly networkAnswered?: true;
  readonly networkOtherNumber?: true;
}

const NEW: Entry = { networkReady: true, networkReason: null, networkRevision: 1 };
const ANSWERED: Entry = { ...NEW, networkAnswered: true };

/** One that has answered, and does not any more. */
async function fallen(): Promise<Fixture> {
  const fixture = new Fixture();
  await fixture.probe.probeAndReport();
  fixture.says = () => DOWN;
  return fixture;
}

/** A watch whose clock, store and network the test moves. */
class Fixture {
  readonly clock = new ManualClock();
  readonly told: string[] = [];
  readonly lines: string[] = [];
  entry: Entry | null;
  unreadable = false;
  says: () => Readiness | Promise<Readiness> = () => READY;
  asked = 0;
  last: ReadinessReport | null = null;
  readonly probe: ReadinessProbe;
  readonly #began = this.clock.now();

  constructor(entry: Entry | null = ANSWERED) {
    this.entry = entry;
    const status = async () => {
      this.asked++;
      return this.says();
    };
    const line = (_fields: unknown, message: string) => void this.lines.push(message);
    const log = { ...SILENT, info: line, warn: line };
    const environment = { clock: this.clock, log, networks: { driver: () => ({ status }) } };
    let configured: ChannelConfiguration | null = null;
    const reload = async () => {
      if (this.unreadable) throw new Error('the store is away');
      const { entry } = this;
      const read = entry && { entry, network: { provider: 'cloud' } };
      configured = read as unknown as ChannelConfiguration | null;
      this.probe.adopt(configured?.entry ?? null);
      return configured;
    };
    const context = {
      ...{ channelId: 'chn_1', configured: () => configured, reload },
      environment: environment as unknown as ChannelEnvironment,
    };
    this.probe = new ReadinessProbe(context, {
      report: async (told) => {
        this.last = told;
        const at = this.clock.now() - this.#began;
        this.told.push(`${told.ready} after ${at}`);
      },
      onReady: () => void this.lines.push('on ready'),
      ...{ onConfigured: ignore, onRestriction: ignore, onHold: ignore, onReadiness: ignore },
    });
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      this.clock.advance(Math.min(1_000, ms - passed));
      await this.settle();
    }
  }

  async settle(): Promise<void> {
    for (let turns = 0; turns < 10; turns++) await turn();
  }

  /** A send of the conversation ends. */
  async send(outcome: SendOutcome, conversationId = 'a'): Promise<void> {
    const revision = this.entry?.networkRevision ?? 0;
    this.probe.sends.record(conversationId, revision, outcome);
    await this.settle();
  }
}

const accepted: SendOutcome = { outcome: 'accepted', externalId: 'x' };
const later = (more: Partial<Extract<SendOutcome, { outcome: 'later' }>> = {}): SendOutcome => ({
  ...{ outcome: 'later', scope: 'number', waitMs: 2_000, ...more },
});
const failed = later({ fault: networkFault('refused'), cause: 'ECONNREFUSED' });

test('a network that can send is asked once more after 10 s, then every 60 s', async () => {
  const fixture = new Fixture();
  await fixture.probe.probeAndReport();
  await fixture.pass(90_000);
  assert.deepEqual(fixture.told, ['true after 0', 'true after 10000', 'true after 70000']);
});

test('one that does not answer is asked every 10 s, and told of when it does', async () => {
  const fixture = new Fixture(NEW);
  fixture.says = () => DOWN;
  await fixture.probe.probeAndReport();
  await fixture.pass(35_000);
  assert.equal(fixture.asked, 4);
  assert.deepEqual(fixture.told, ['false after 0']);
  assert.deepEqual([fixture.last?.reason, fixture.last?.answered], [REFUSED, false]);
  assert.equal(fixture.probe.maySend, true, 'sends may find out, too');
  fixture.says = () => READY;
  await fixture.pass(5_000);
  assert.deepEqual(fixture.told, ['false after 0', 'true after 40000']);
  assert.equal(fixture.last?.answered, true);
  const words = [LOG_EVENT.networkSilent, LOG_EVENT.networkAnswers, 'on ready'];
  assert.deepEqual(fixture.lines, words);
});

test('a look that could not read the configuration, or found none, is repeated', async () => {
  const away = new Fixture();
  away.unreadable = true;
  await away.probe.probeAndReport();
  away.unreadable = false;
  await away.pass(25_000);
  assert.deepEqual(away.told, ['true after 10000', 'true after 20000']);
  const absent = new Fixture(null);
  await absent.probe.probeAndReport();
  absent.entry = ANSWERED;
  await absent.pass(25_000);
  assert.deepEqual(absent.told.slice(1), ['true after 10000', 'true after 20000']);
});

test('a desk is probed before anybody asks it to', async () => {
  const fixture = new Fixture();
  fixture.probe.schedule();
  fixture.clock.advance(10_000);
  await fixture.settle();
  assert.equal(fixture.asked, 1);
  fixture.probe.end();
  assert.equal(fixture.clock.waiting, 0);
});

test('failed status requests alone change nothing for one that has answered, but are told', async () => {
  const fixture = new Fixture();
  fixture.says = () => DOWN;
  await fixture.probe.probeAndReport();
  await fixture.pass(5 * MINUTE);
  assert.equal(fixture.probe.known.ready, true);
  assert.equal(fixture.probe.maySend, true);
  assert.deepEqual(fixture.told, ['true after 10000'], 'once, with the trouble');
  assert.equal(fixture.last?.trouble?.reason, REFUSED);
  fixture.says = () => READY;
  await fixture.pass(10_000);
  assert.equal(fixture.last?.trouble, null);
});

test('sends that fail for 60 s end its readiness, a success of either kind brings it back', async () => {
  for (const success of ['send', 'status'] as const) {
    const fixture = await fallen();
    await fixture.send(failed);
    await fixture.pass(30_000);
    await fixture.send(failed);
    await fixture.pass(29_000);
    assert.equal(fixture.probe.known.ready, true);
    await fixture.pass(1_000);
    assert.equal(fixture.told.at(-1), 'false after 60000');
    assert.equal(fixture.last?.reason, REFUSED);
    assert.equal(fixture.probe.maySend, true);
    if (success === 'send') await fixture.send(accepted);
    else {
      fixture.says = () => READY;
      await fixture.pass(10_000);
    }
    assert.equal(fixture.last?.ready, true);
    fixture.probe.end();
  }
});

test('a send that works between them, or a wait that is none of the network’s, begins it anew', async () => {
  const breaks: readonly (readonly [SendOutcome, string])[] = [
    [accepted, 'b'],
    [later({ scope: 'account' }), 'b'],
    [later({ scope: 'pair' }), 'a'],
    [{ outcome: 'refused', code: '1', reason: 'Não.' }, 'a'],
  ];
  for (const [outcome, conversationId] of breaks) {
    const fixture = await fallen();
    await fixture.send(failed);
    await fixture.pass(50_000);
    await fixture.send(outcome, conversationId);
    await fixture.send(failed);
    await fixture.pass(50_000);
    assert.equal(fixture.probe.known.ready, true, JSON.stringify(outcome));
    await fixture.pass(10_000);
    assert.equal(fixture.probe.known.ready, false, JSON.stringify(outcome));
    fixture.probe.end();
  }
});

test('a message that ended unsent is not due any more; what fails beside it is', async () => {
  const fixture = await fallen();
  await fixture.send(failed, 'a');
  await fixture.pass(20_000);
  await fixture.send(failed, 'b');
  await fixture.pass(30_000);
  fixture.probe.sends.sendEnded('a');
  await fixture.pass(20_000);
  assert.equal(fixture.probe.known.ready, true);
  await fixture.pass(10_000);
  assert.equal(fixture.probe.known.ready, false);
});

test('what was asked or sent under other settings tells nothing of the present ones', async () => {
  const fixture = new Fixture();
  await fixture.probe.probeAndReport();
  const slow = Promise.withResolvers<Readiness>();
  fixture.says = () => slow.promise;
  const old = fixture.probe.probeAndReport();
  await fixture.settle();
  fixture.entry = { ...NEW, networkRevision: 2 };
  fixture.probe.adopt(fixture.entry as never);
  slow.resolve(READY);
  await old;
  fixture.probe.sends.record('a', 1, accepted);
  assert.equal(fixture.probe.known.answered, false);
  fixture.says = () => DOWN;
  await fixture.probe.probeAndReport();
  assert.deepEqual([fixture.last?.ready, fixture.last?.revision], [false, 2]);
});

test('a new owner of one that had gone goes on asking, and a send of its own ends it', async () => {
  const fixture = new Fixture({ ...ANSWERED, networkReady: false, networkReason: REFUSED });
  fixture.says = () => DOWN;
  await fixture.probe.probeAndReport();
  assert.deepEqual([fixture.probe.known.ready, fixture.probe.maySend], [false, true]);
  await fixture.send(accepted);
  assert.equal(fixture.told.at(-1), 'true after 0');
});

test('the network’s word that all is well is checked by asking it', async () => {
  const fixture = new Fixture(NEW);
  fixture.says = () => DOWN;
  await fixture.probe.probeAndReport();
  fixture.probe.learn(READY);
  await fixture.settle();
  assert.deepEqual([fixture.asked, fixture.probe.known.ready], [2, false]);
});

const OTHER = { ready: false, reason: 'A sessão é de outro número.', otherNumber: true } as const;

test('another number in a webhook holds at once; the probe’s answer decides', async () => {
  const fixture = new Fixture();
  await fixture.probe.probeAndReport();
  fixture.says = () => OTHER;
  fixture.probe.learn(OTHER);
  assert.deepEqual([fixture.probe.maySend, fixture.probe.number.isOther], [false, true]);
  await fixture.settle();
  assert.deepEqual([fixture.last?.ready, fixture.last?.otherNumber], [false, true]);
  const asked = fixture.asked;
  for (let times = 0; times < 5; times++) fixture.probe.learn(OTHER);
  await fixture.settle();
  assert.equal(fixture.asked, asked, 'further ones change nothing');
  fixture.says = () => READY;
  await fixture.pass(10_000);
  assert.deepEqual([fixture.probe.maySend, fixture.last?.ready], [true, true]);
});

test('a late webhook of a former number holds for one probe alone', async () => {
  const fixture = new Fixture();
  await fixture.probe.probeAndReport();
  fixture.probe.learn(OTHER);
  assert.equal(fixture.probe.maySend, false);
  await fixture.settle();
  assert.deepEqual([fixture.probe.maySend, fixture.last?.ready], [true, true]);
});

test('a probe that began before the other number was reported does not clear it', async () => {
  const fixture = new Fixture();
  await fixture.probe.probeAndReport();
  const before = Promise.withResolvers<Readiness>();
  fixture.says = () => before.promise;
  const probing = fixture.probe.probeAndReport();
  await fixture.settle();
  fixture.says = () => OTHER;
  fixture.probe.learn(OTHER);
  before.resolve(READY);
  await probing;
  await fixture.settle();
  assert.equal(fixture.probe.maySend, false);
});

test('a report that a session works ends no hold before a probe confirms it', async () => {
  const fixture = new Fixture();
  await fixture.probe.probeAndReport();
  fixture.probe.learn({ ready: false, reason: 'Leia o QR code.' });
  fixture.says = () => OTHER;
  fixture.probe.learn({ ready: true, unconfirmed: true });
  assert.equal(fixture.probe.maySend, false, 'the report may be hours old');
  await fixture.settle();
  assert.deepEqual([fixture.probe.maySend, fixture.probe.number.isOther], [false, true]);
  fixture.says = () => READY;
  fixture.probe.learn({ ready: true, unconfirmed: true });
  await fixture.settle();
  assert.equal(fixture.probe.maySend, true);
});

test('a new owner of another number sends nothing before the network has answered', async () => {
  const known = { networkReady: false, networkReason: OTHER.reason, networkOtherNumber: true };
  const fixture = new Fixture({ ...ANSWERED, ...known, networkOtherNumber: true });
  const answer = Promise.withResolvers<Readiness>();
  fixture.says = () => answer.promise;
  const probing = fixture.probe.probeAndReport();
  await fixture.settle();
  assert.equal(fixture.probe.maySend, false);
  answer.resolve(READY);
  await probing;
  assert.equal(fixture.probe.maySend, true);
});

test('an answer that names no number does not end the hold of another one', async () => {
  const known = {
    networkReady: false,
    networkReason: OTHER.reason,
    networkOtherNumber: true,
  } as const;
  const fixture = new Fixture({ ...ANSWERED, ...known });
  fixture.says = () => ({ ready: true, unnamed: true });
  await fixture.probe.probeAndReport();
  assert.deepEqual([fixture.probe.maySend, fixture.probe.number.isOther], [false, true]);
  fixture.says = () => READY;
  await fixture.pass(10_000);
  assert.equal(fixture.probe.maySend, true);
});

test('under new settings an answer that names no number ends it: no other can be had', async () => {
  const fixture = new Fixture({ ...ANSWERED, networkOtherNumber: true });
  fixture.says = () => DOWN;
  await fixture.probe.probeAndReport();
  assert.equal(fixture.probe.maySend, false);
  fixture.says = () => ({ ready: true, unnamed: true });
  await fixture.pass(10_000);
  assert.deepEqual([fixture.probe.maySend, fixture.last?.otherNumber], [true, undefined]);
});
