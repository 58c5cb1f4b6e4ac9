/**
 * The network's part: the driver alone, against the simulator, or against a real bridge or number
 * (docs/networks.md). It sends a few messages to one phone and changes nothing else.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../../../../../infra/adapters/clock/clock.ts';
import {
  baseUrlResolver,
  createNetworks,
} from '../../../../../../infra/adapters/network/networks.ts';
import type {
  DoubtfulSend,
  NetworkChannel,
  NetworkDriver,
  OutboundText,
  SendOutcome,
} from '../../../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../../../shared/ports/network-event.ts';
import {
  channelOf,
  type NetworkFixture,
  openNetworkFixture,
  WEB_NETWORK,
} from '../../../../../support/infra/adapters/network/network-fixture.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';
import { BRIDGE_VERSION, ENGINES, type Engine, providerOf, realNetwork } from './target.ts';

const SOMEBODY = '5511987654321';
const FILE = Buffer.from('%PDF-1.4\n%conformance\n');

interface Target {
  readonly driver: NetworkDriver;
  readonly channel: NetworkChannel;
  readonly to: string;
  /** Whether own ids are known to be taken; undefined of a real bridge, which tells itself. */
  readonly ownIds?: boolean;
}

function conforms(name: string, target: () => Promise<Target>): void {
  describe(`the network of ${name}`, () => {
    let it: Target;
    before(async () => {
      it = await target();
      assert.notEqual(it.to, '', 'a phone to write to (--to)');
    });
    test('is ready, or tells why not', async () => {
      const readiness = await it.driver.status(it.channel);
      assert.deepEqual(
        { ...readiness, restriction: undefined, unpaid: undefined },
        { ready: true, restriction: undefined, unpaid: undefined },
      );
    });
    test('takes own ids where engine and version do', async () => {
      const own = it.driver.ownIdOf?.(it.channel, 'msg_conformance') ?? null;
      if (it.ownIds !== undefined) assert.equal(own !== null, it.ownIds);
      if (own !== null) assert.match(own, /^3EB0[0-9A-F]{18}$/);
      assert.equal(
        it.driver.ownIdOf?.(it.channel, 'msg_conformance') ?? null,
        own,
        'always the same',
      );
    });
    test('takes a text, under its canonical id, and finds it again', () => sendsAndFinds(it));
    test('does not find what was never sent', () => findsNothing(it));
    test('takes a reply', () => sendsReply(it));
    test('takes a file', () => sendsFile(it));
    test('is read back', () => readsBack(it));
  });
}

if (realNetwork === null) {
  let fixture: NetworkFixture;
  before(async () => {
    fixture = await openNetworkFixture();
  });
  after(() => fixture?.close());
  for (const engine of ENGINES) conforms(engine, () => simulated(fixture, engine));
} else {
  const { provider, network, to } = realNetwork;
  const networks = createNetworks({
    clock: systemClock,
    resolveBaseUrl: baseUrlResolver(() => undefined),
  });
  after(() => networks.close());
  const channel = { id: 'chn_conformance', provider, phone: '', network };
  conforms(provider, async () => ({ driver: networks.driver(provider), channel, to }));
}

async function simulated(fixture: NetworkFixture, engine: Engine): Promise<Target> {
  const provider = providerOf(engine);
  const driver = fixture.networks.driver(provider);
  if (provider === 'cloud') {
    return { driver, channel: channelOf('cloud'), to: SOMEBODY, ownIds: false };
  }
  const session = `session-${engine}`;
  const channel = { ...channelOf('web', { session }), id: `ch_${engine}` };
  const webhookUrl = fixture.channels.find((each) => each.provider === 'web')?.webhookUrl ?? '';
  const network = { ...WEB_NETWORK, session };
  const { id: channelId, phone } = channel;
  fixture.channels.push({ channelId, provider, phone, webhookUrl, network });
  const request = { session, engine, version: BRIDGE_VERSION };
  const { status, body } = await fixture.control('POST', '/engines', request);
  assert.equal(status, 200, JSON.stringify(body));
  return { driver, channel, to: SOMEBODY, ownIds: engine !== 'webjs' };
}

function textFor({ driver, channel, to }: Target, more: Partial<OutboundText> = {}): OutboundText {
  const messageId = `msg_${randomUUID()}`;
  const ownId = driver.ownIdOf?.(channel, messageId) ?? null;
  const text = `Teste de conformidade ${messageId}`;
  return { messageId, to, text, ...(ownId === null ? {} : { ownId }), ...more };
}

function accepted(outcome: SendOutcome): Extract<SendOutcome, { outcome: 'accepted' }> {
  if (outcome.outcome !== 'accepted') assert.fail(JSON.stringify(outcome));
  return outcome;
}

function doubtful(message: OutboundText): DoubtfulSend {
  return { ...message, handedOverAt: Date.now() - 5_000, recorded: new Set() };
}

async function sendsAndFinds(target: Target): Promise<void> {
  const { driver, channel } = target;
  const message = textFor(target);
  const { externalId } = accepted(await driver.sendText(channel, message));
  assert.match(externalId, channel.provider === 'cloud' ? /^wamid\./ : /^[0-9A-F]{16,}$/);
  if (message.ownId !== undefined) assert.equal(externalId, message.ownId);
  if (!driver.findSent) return;
  const find = driver.findSent.bind(driver);
  const found = await waitUntil('the message is found', async () => {
    const lookup = await find(channel, doubtful(message));
    return lookup.found === true && lookup;
  });
  assert.equal(found.externalId, externalId);
}

async function findsNothing(target: Target): Promise<void> {
  const { driver, channel } = target;
  if (!driver.findSent) return;
  const message = textFor(target);
  const { found } = await driver.findSent(channel, doubtful(message));
  assert.equal(found, message.ownId === undefined ? 'never' : false);
}

async function sendsReply(target: Target): Promise<void> {
  const { driver, channel } = target;
  const { externalId, fullId } = accepted(await driver.sendText(channel, textFor(target)));
  accepted(await driver.sendText(channel, textFor(target, { replyTo: fullId ?? externalId })));
}

async function sendsFile(target: Target): Promise<void> {
  const { driver, channel } = target;
  const file = {
    ...{ mimeType: 'application/pdf', fileName: 'conformidade.pdf', sizeBytes: FILE.length },
    read: async function* read() {
      yield FILE;
    },
  };
  const uploaded = await driver.upload?.(channel, file);
  if (uploaded && uploaded.outcome !== 'uploaded') assert.fail(JSON.stringify(uploaded));
  const content = uploaded ? { uploadId: uploaded.uploadId } : { file };
  const { text: caption, ...message } = textFor(target);
  const { mimeType, fileName } = file;
  const media = { ...message, kind: 'document' as const, caption, mimeType, fileName, content };
  accepted(await driver.sendMedia(channel, media));
}

async function readsBack({ driver, channel }: Target): Promise<void> {
  if (!driver.readSince) {
    assert.equal(channel.provider, 'cloud', 'a bridge keeps chats');
    return;
  }
  const events: NetworkEvent[] = [];
  for await (const page of driver.readSince(channel, Date.now() - 60_000)) events.push(...page);
  for (const event of events) {
    if ('externalId' in event) assert.doesNotMatch(event.externalId, /^(true|false)_/);
  }
}
