/** When a channel's network is asked, and what its organization is told of the answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type {
  CachedConfiguration,
  ChannelConfiguration,
  ChannelEnvironment,
} from '../../actors/channel/configuration.ts';
import { ReadinessProbe } from '../../actors/channel/readiness-probe.ts';
import type { ReadinessReport } from '../../actors/domain/network-readiness.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Readiness, SendOutcome } from '../../shared/network.ts';
import { networkFault } from '../../shared/network-fault.ts';
import { SILENT } from '../fences/engine.ts';
import { ManualClock } from '../gateway/manual-clock.ts';

const READY: Readiness = { ready: true };
const DOWN: Readiness = { ready: 'unknown', cause: 'ECONNREFUSED', fault: networkFault('refused') };
const REFUSED = 'A rede do número recusou a conexão.';
const MINUTE = 60_000;

interface Entry {
  readonly networkReady: boolean;
  readonly networkReason: string | null;
  readonly networkRevision: number;
  readonly networkAnswered?: true;
}

const NEW: Entry = { networkReady: true, networkReason: null, networkRevision: 1 };
const ANSWERED: Entry = { ...NEW, networkAnswered: true };

/** One that has answered, and does not any more. */
async function fallen(): Promise<Stage> {
  const stage = new Stage();
  await stage.watch.probeAndReport();
  stage.says = () => DOWN;
  return stage;
}

/** A watch whose clock, store and network the test moves. */
class Stage {
  readonly clock = new ManualClock();
  readonly told: string[] = [];
  readonly lines: string[] = [];
  entry: Entry | null;
  unreadable = false;
  says: () => Readiness | Promise<Readiness> = () => READY;
  asked = 0;
  last: ReadinessReport | null = null;
  readonly watch: ReadinessProbe;
  readonly #began = this.clock.now();

  constructor(entry: Entry | null = ANSWERED) {
    this.entry = entry;
    const status = async () => {
      this.asked++;
      return this.says();
    };
    const line = (_fields: unknown, message: string) => void this.lines.push(message);
    const log = { ...SILENT, info: line, warn: line };
    const world = { clock: this.clock, log, networks: { driver: () => ({ status }) } };
    const known: { known: ChannelConfiguration | null } = { known: null };
    const reload = async () => {
      if (this.unreadable) throw new Error('the store is away');
      const { entry } = this;
      const read = entry && { entry, network: { provider: 'cloud' } };
      known.known = read as unknown as ChannelConfiguration | null;
      this.watch.adopt(known.known?.entry ?? null);
      return known.known;
    };
    this.watch = new ReadinessProbe(
      {
        ...{
          channelId: 'chn_1',
          closed: () => false,
          environment: world as unknown as ChannelEnvironment,
        },
        configuration: Object.assign(known, { reload }) as unknown as CachedConfiguration,
      },
      {
        report: async (told) => {
          this.last = told;
          const at = this.clock.now() - this.#began;
          this.told.push(`${told.ready} after ${at}`);
        },
        onReady: () => void this.lines.push('on ready'),
        onConfigured: () => undefined,
        onRestriction: () => undefined,
        onHold: () => undefined,
      },
    );
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
    this.watch.recordSend({ conversationId, revision, outcome });
    await this.settle();
  }
}

const accepted: SendOutcome = { outcome: 'accepted', externalId: 'x' };
const later = (more: Partial<Extract<SendOutcome, { outcome: 'later' }>> = {}): SendOutcome => ({
  ...{ outcome: 'later', scope: 'number', waitMs: 2_000, ...more },
});
const failed = later({ fault: networkFault('refused'), cause: 'ECONNREFUSED' });

test('a network that can send is asked once more after 10 s, then every 60 s', async () => {
  const stage = new Stage();
  await stage.watch.probeAndReport();
  await stage.pass(90_000);
  assert.deepEqual(stage.told, ['true after 0', 'true after 10000', 'true after 70000']);
});

test('one that does not answer is asked every 10 s, and told of when it does', async () => {
  const stage = new Stage(NEW);
  stage.says = () => DOWN;
  await stage.watch.probeAndReport();
  await stage.pass(35_000);
  assert.equal(stage.asked, 4);
  assert.deepEqual(stage.told, ['false after 0']);
  assert.deepEqual([stage.last?.reason, stage.last?.answered], [REFUSED, false]);
  assert.equal(stage.watch.maySend, true, 'sends may find out, too');
  stage.says = () => READY;
  await stage.pass(5_000);
  assert.deepEqual(stage.told, ['false after 0', 'true after 40000']);
  assert.equal(stage.last?.answered, true);
  const words = [LOG_EVENT.networkSilent, LOG_EVENT.networkAnswers, 'on ready'];
  assert.deepEqual(stage.lines, words);
});

test('a look that could not read the configuration, or found none, is repeated', async () => {
  const away = new Stage();
  away.unreadable = true;
  await away.watch.probeAndReport();
  away.unreadable = false;
  await away.pass(25_000);
  assert.deepEqual(away.told, ['true after 10000', 'true after 20000']);
  const absent = new Stage(null);
  await absent.watch.probeAndReport();
  absent.entry = ANSWERED;
  await absent.pass(25_000);
  assert.deepEqual(absent.told.slice(1), ['true after 10000', 'true after 20000']);
});

test('a desk is probed before anybody asks it to', async () => {
  const stage = new Stage();
  stage.watch.begin();
  stage.clock.advance(10_000);
  await stage.settle();
  assert.equal(stage.asked, 1);
  stage.watch.end();
  assert.equal(stage.clock.waiting, 0);
});

test('failed status requests alone change nothing for one that has answered, but are told', async () => {
  const stage = new Stage();
  stage.says = () => DOWN;
  await stage.watch.probeAndReport();
  await stage.pass(5 * MINUTE);
  assert.equal(stage.watch.known.ready, true);
  assert.equal(stage.watch.maySend, true);
  assert.deepEqual(stage.told, ['true after 10000'], 'once, with the trouble');
  assert.equal(stage.last?.trouble?.reason, REFUSED);
  stage.says = () => READY;
  await stage.pass(10_000);
  assert.equal(stage.last?.trouble, null);
});

test('sends that fail for 60 s end its readiness, a success of either kind brings it back', async () => {
  for (const success of ['send', 'status'] as const) {
    const stage = await fallen();
    await stage.send(failed);
    await stage.pass(30_000);
    await stage.send(failed);
    await stage.pass(29_000);
    assert.equal(stage.watch.known.ready, true);
    await stage.pass(1_000);
    assert.equal(stage.told.at(-1), 'false after 60000');
    assert.equal(stage.last?.reason, REFUSED);
    assert.equal(stage.watch.maySend, true);
    if (success === 'send') await stage.send(accepted);
    else {
      stage.says = () => READY;
      await stage.pass(10_000);
    }
    assert.equal(stage.last?.ready, true);
    stage.watch.end();
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
    const stage = await fallen();
    await stage.send(failed);
    await stage.pass(50_000);
    await stage.send(outcome, conversationId);
    await stage.send(failed);
    await stage.pass(50_000);
    assert.equal(stage.watch.known.ready, true, JSON.stringify(outcome));
    await stage.pass(10_000);
    assert.equal(stage.watch.known.ready, false, JSON.stringify(outcome));
    stage.watch.end();
  }
});

test('a message that ended unsent is not due any more; what fails beside it is', async () => {
  const stage = await fallen();
  await stage.send(failed, 'a');
  await stage.pass(20_000);
  await stage.send(failed, 'b');
  await stage.pass(30_000);
  stage.watch.sendEnded('a');
  await stage.pass(20_000);
  assert.equal(stage.watch.known.ready, true);
  await stage.pass(10_000);
  assert.equal(stage.watch.known.ready, false);
});

test('what was asked or sent under other settings tells nothing of the present ones', async () => {
  const stage = new Stage();
  await stage.watch.probeAndReport();
  const slow = Promise.withResolvers<Readiness>();
  stage.says = () => slow.promise;
  const old = stage.watch.probeAndReport();
  await stage.settle();
  stage.entry = { ...NEW, networkRevision: 2 };
  stage.watch.adopt(stage.entry as never);
  slow.resolve(READY);
  await old;
  stage.watch.recordSend({ conversationId: 'a', revision: 1, outcome: accepted });
  assert.equal(stage.watch.known.answered, false);
  stage.says = () => DOWN;
  await stage.watch.probeAndReport();
  assert.deepEqual([stage.last?.ready, stage.last?.revision], [false, 2]);
});

test('a new owner of one that had gone goes on asking, and a send of its own ends it', async () => {
  const stage = new Stage({ ...ANSWERED, networkReady: false, networkReason: REFUSED });
  stage.says = () => DOWN;
  await stage.watch.probeAndReport();
  assert.deepEqual([stage.watch.known.ready, stage.watch.maySend], [false, true]);
  await stage.send(accepted);
  assert.equal(stage.told.at(-1), 'true after 0');
});

test('the network’s word that all is well is checked by asking it', async () => {
  const stage = new Stage(NEW);
  stage.says = () => DOWN;
  await stage.watch.probeAndReport();
  stage.watch.learn(READY);
  await stage.settle();
  assert.deepEqual([stage.asked, stage.watch.known.ready], [2, false]);
});
