/** Sends over the bridge's three engines: their answers, their faults, ids of our own, look-ups. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { DoubtfulSend, SendOutcome } from '../../../../../shared/ports/network.ts';
import {
  type BridgeAnswer,
  type BridgeRequest,
  ok,
  useBridge,
} from '../../../../support/stand-ins/bridge.ts';
import { answerOf, engine, payload } from './web-payloads.ts';

const PHONE = '5511988887777';
const TEXT = { messageId: 'msg_1', to: PHONE, text: 'Olá' };
const OWN = '3EB0A1B2C3D4E5F6071829';
const ENGINES = ['webjs', 'noweb', 'gows'] as const;

const bridge = useBridge('each test');

const send = (more: Record<string, string> = {}) =>
  bridge.driver.sendText(bridge.channel, { ...TEXT, ...more });

async function sendAnswered(name: string): Promise<SendOutcome> {
  bridge.answers = () => answerOf(name);
  return send();
}

describe('web: the answer to a send', () => {
  for (const engine of ['noweb', 'noweb-lid', 'webjs', 'webjs-renamed', 'gows']) {
    const name = `answer-send-${engine}`;
    it(`${name}: the canonical id, and the whole one beside it`, async () => {
      const outcome = await sendAnswered(name);
      assert.ok(outcome.outcome === 'accepted');
      assert.equal(outcome.externalId, OWN);
      assert.match(outcome.fullId ?? '', new RegExp(`^true_\\d+@(c.us|lid)_${OWN}$`));
    });
  }

  it('a 201 without an id, or nothing at all, is in doubt', async () => {
    assert.equal((await sendAnswered('answer-send-empty')).outcome, 'unknown');
  });

  it('a restriction refuses the message, and leaves the channel alone', async () => {
    const outcome = await sendAnswered('error-restricted-gows');
    assert.ok(outcome.outcome === 'refused');
    assert.deepEqual([outcome.code, outcome.restriction], ['463', { until: null }]);
    assert.equal(outcome.channelReason, undefined);
  });

  it('a sentence that no repeat changes refuses the message', async () => {
    const hidden = await sendAnswered('error-no-lid-gows');
    assert.ok(hidden.outcome === 'refused' && hidden.code === 'no_lid');
    assert.match(hidden.reason, /WhatsApp/);
    const lacking = await sendAnswered('error-not-implemented');
    assert.ok(lacking.outcome === 'refused' && lacking.code === 'unsupported');
  });

  it('every other fault of the bridge is in doubt, whatever our own text says', async () => {
    for (const name of ['error-exception-noweb', 'error-exception-webjs', 'error-unprocessable']) {
      assert.equal((await sendAnswered(name)).outcome, 'unknown', name);
    }
  });

  it('a session that is stopped or unknown makes the channel wait', async () => {
    for (const name of ['error-session-stopped', 'error-session-unknown']) {
      const outcome = await sendAnswered(name);
      assert.ok(outcome.outcome === 'later' && outcome.scope === 'account', name);
      assert.ok(outcome.channelReason, name);
    }
  });
});

describe('web: ids of our own', () => {
  const own = () => bridge.driver.ownIdOf?.(bridge.channel, TEXT.messageId) ?? null;

  it('derived from ours where engine and version take them', async () => {
    const hex = createHash('sha256').update(TEXT.messageId).digest('hex');
    const derived = `3EB0${hex.slice(0, 18).toUpperCase()}`;
    for (const name of ENGINES) {
      bridge.answers = engine(name, () => undefined);
      const channel = { ...bridge.channel, id: `ch_${name}` };
      assert.equal(bridge.driver.ownIdOf?.(channel, TEXT.messageId), null, 'not asked yet');
      assert.equal((await bridge.driver.status(channel)).ready, true);
      const id = bridge.driver.ownIdOf?.(channel, TEXT.messageId);
      assert.equal(id, name === 'webjs' ? null : derived, name);
    }
  });

  it('not with an older bridge, nor one that does not tell its version', async () => {
    const older = engine('noweb', () => undefined);
    bridge.answers = (request) =>
      request.path.endsWith('/version') ? ok(payload('version-older')) : older(request);
    await bridge.driver.status(bridge.channel);
    assert.equal(own(), null);
    bridge.answers = (request) => (request.path.endsWith('/version') ? undefined : older(request));
    const silent = { ...bridge.channel, id: 'ch_silent' };
    await bridge.driver.status(silent);
    assert.equal(bridge.driver.ownIdOf?.(silent, TEXT.messageId), null);
  });

  it('sent with the text; a bridge that refuses them is sent to without', async () => {
    bridge.answers = engine('gows', () => answerOf('answer-send-gows'));
    await bridge.driver.status(bridge.channel);
    assert.equal((await send({ ownId: OWN })).outcome, 'accepted');
    assert.equal(bridge.requests.at(-1)?.body?.id, OWN);
    bridge.answers = engine('gows', () => answerOf('error-not-implemented'));
    const refused = await send({ ownId: OWN });
    assert.equal(refused.outcome, 'later', 'nothing was sent');
    assert.equal(own(), null, 'the next attempt goes without');
    bridge.answers = engine('gows', () => answerOf('answer-send-gows'));
    assert.equal((await send({ ownId: OWN })).outcome, 'accepted');
    assert.equal(bridge.requests.at(-1)?.body?.id, undefined);
  });

  it('not used with an engine without them to which the session was moved', async () => {
    bridge.answers = engine('gows', () => undefined);
    await bridge.driver.status(bridge.channel);
    bridge.answers = engine('webjs', () => answerOf('answer-send-webjs'));
    await bridge.driver.status(bridge.channel);
    await send({ ownId: OWN });
    assert.equal(bridge.requests.at(-1)?.body?.id, undefined);
    bridge.answers = engine('webjs', () => ok([]));
    const doubtful = { ...TEXT, ownId: OWN, handedOverAt: 0, recorded: new Set<string>() };
    await bridge.driver.findSent?.(bridge.channel, doubtful);
    const looked = bridge.requests.findLast(({ path }) => path.includes('/chats/'));
    assert.match(looked?.path ?? '', /chats\/\d+@c\.us\/messages$/, 'by its text');
  });

  it('a reply names the whole id', async () => {
    bridge.answers = () => answerOf('answer-send-gows');
    await send({ replyTo: `true_${PHONE}@c.us_ABC` });
    assert.equal(bridge.requests.at(-1)?.body?.reply_to, `true_${PHONE}@c.us_ABC`);
    await send({ replyTo: 'ABC' });
    assert.equal(bridge.requests.at(-1)?.body?.reply_to, `false_${PHONE}@c.us_ABC`);
  });
});

describe('web: looking for a send', () => {
  const AT = 1_783_400_000_000;
  const lookUp = (more: Partial<DoubtfulSend> = {}) => {
    const message = { ...TEXT, handedOverAt: AT, recorded: new Set<string>(), ...more };
    return bridge.driver.findSent?.(bridge.channel, message);
  };
  const byText = (more: Record<string, unknown>, id = OWN) => ({
    id: `true_${PHONE}@c.us_${id}`,
    timestamp: AT / 1000,
    fromMe: true,
    body: 'Olá',
    hasMedia: false,
    ...more,
  });

  it('by its own id: there, not there, or not answered', async () => {
    const path = `/api/shop/chats/all/messages/${OWN}`;
    const message = byText({});
    const found = { found: true, externalId: OWN, fullId: message.id };
    bridge.answers = (request) => (request.path === path ? ok(message) : undefined);
    assert.deepEqual(await lookUp({ ownId: OWN }), found);
    for (const [what, expected] of [
      ['error-message-unknown', false],
      ['error-message-unknown-gows', false],
      ['error-session-stopped', 'unknown'],
      ['error-session-unknown', 'unknown'],
      ['error-exception-noweb', 'unknown'],
      ['error-store-disabled', 'never'],
    ] as const) {
      bridge.answers = () => answerOf(what);
      assert.equal((await lookUp({ ownId: OWN }))?.found, expected, what);
    }
    bridge.answers = () => ok(null);
    assert.deepEqual(await lookUp({ ownId: OWN }), { found: false }, 'an empty answer');
    bridge.answers = () => undefined;
    assert.equal((await lookUp({ ownId: OWN }))?.found, 'never', 'no such call');
  });

  it('another number’s session lacks it: it has to be asked again', async () => {
    const ofNumber = (me: unknown, found: BridgeAnswer) => (request: BridgeRequest) =>
      request.path === '/api/sessions/shop' ? ok({ status: 'WORKING', me }) : found;
    const other = { id: '5511955554444@c.us' };
    const answers = [
      [{ ownId: OWN }, answerOf('error-message-unknown'), false],
      [{}, ok([]), 'never'],
    ] as const;
    for (const [asked, lacking, found] of answers) {
      bridge.answers = ofNumber(other, lacking);
      const looked = await lookUp(asked);
      const cause = 'the session may work as another number';
      assert.deepEqual(looked, { found: 'unknown', cause });
      for (const me of [{ id: `${bridge.channel.phone}@c.us` }, null]) {
        bridge.answers = ofNumber(me, lacking);
        assert.equal((await lookUp(asked))?.found, found);
      }
    }
    bridge.answers = ofNumber(other, ok([byText({})]));
    assert.equal((await lookUp())?.found, true, 'what is found is there');
  });

  it('a file is sent without an id of ours, and looked for by its caption', async () => {
    bridge.answers = (request) =>
      request.path.endsWith('/messages') ? ok([byText({ hasMedia: true })]) : ok(null);
    const found = await lookUp({ ownId: '3EB0FFFF', hasMedia: true });
    assert.ok(found?.found === true && found.externalId === OWN);
  });

  it('by its text: an earlier one is not it, however its id was recorded', async () => {
    bridge.answers = () => ok([byText({})]);
    assert.equal((await lookUp())?.found, true);
    const spellings = [OWN, `true_${PHONE}@c.us_${OWN}`, `true_77@lid_${OWN}`];
    for (const id of spellings) {
      assert.equal((await lookUp({ recorded: new Set([id]) }))?.found, 'never', id);
    }
    bridge.answers = () => ok([]);
    assert.equal((await lookUp())?.found, 'never', 'nothing found tells nothing');
  });

  it('by its text: source decides between equal ones, and only GOWS is sure of it', async () => {
    const typed = byText({ source: 'app' }, 'TYPED');
    const older = byText({ source: 'api', timestamp: AT / 1000 + 5 });
    bridge.answers = engine('noweb', () => ok([older, typed]));
    const first = await lookUp();
    assert.ok(first?.found === true && first.externalId === OWN);
    bridge.answers = engine('noweb', () => ok([typed]));
    assert.equal((await lookUp())?.found, true, 'a restarted bridge takes ours for typed');
    bridge.answers = engine('gows', () => ok([typed]));
    await bridge.driver.status(bridge.channel);
    assert.equal((await lookUp())?.found, 'never');
  });
});
