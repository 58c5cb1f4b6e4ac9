/** Answers of the bridge that mean that nothing was sent, though they look like a doubt. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DoubtfulSend } from '../../../../../../shared/ports/network.ts';
import { type BridgeAnswer, useBridge } from '../../../../../support/stand-ins/bridge.ts';

const TEXT = { messageId: 'msg_1', to: '5511988887777', text: 'Olá' };
const DOUBTFUL: DoubtfulSend = { ...TEXT, handedOverAt: 0, recorded: new Set<string>() };
const MISSING = { error: 'Session "shop" does not exist', session: 'shop' };
const bridge = useBridge('the suite');

/** WAHA's `NotImplementedByEngineError`, older and newer. */
const LACKING: readonly BridgeAnswer[] = [
  {
    status: 501,
    body: {
      message: "The method is not implemented by 'WEBJS' engine. Check the docs and try another",
      error: 'Not Implemented',
      statusCode: 501,
    },
  },
  { status: 501, body: { message: 'Only on GOWS', statusCode: 501 } },
  {
    status: 422,
    body: { message: "The method is not implemented by 'NOWEB' engine.", error: 'x' },
  },
  { status: 422, body: { message: 'The method is not implemented by the engine.' } },
];

it('a session that the bridge does not have is waited for, by sends and look-ups', async () => {
  bridge.answers = () => ({ status: 422, body: MISSING });
  const sent = await bridge.driver.sendText(bridge.channel, TEXT);
  assert.ok(sent.outcome === 'later' && sent.scope === 'account', JSON.stringify(sent));
  assert.match(sent.channelReason ?? '', /sessão não existe/);
  const looked = await bridge.driver.findSent?.(bridge.channel, DOUBTFUL);
  assert.equal(looked?.found, 'unknown');
});

it('another 422 leaves the send in doubt', async () => {
  for (const body of [{ error: 'Evaluation failed' }, { message: 'session closed' }]) {
    bridge.answers = () => ({ status: 422, body });
    const sent = await bridge.driver.sendText(bridge.channel, TEXT);
    assert.equal(sent.outcome, 'unknown', JSON.stringify(body));
  }
});

it('a call that the engine does not have is unsupported at once; a look-up cannot tell', async () => {
  const location = { latitude: -23.5, longitude: -46.6 };
  for (const answer of LACKING) {
    bridge.answers = () => answer;
    const { messageId, to } = TEXT;
    const sent = await bridge.driver.sendContent(bridge.channel, {
      ...{ messageId, to, type: 'location', location },
    });
    assert.ok(sent.outcome === 'refused' && sent.code === 'unsupported', JSON.stringify(answer));
    const looked = await bridge.driver.findSent?.(bridge.channel, DOUBTFUL);
    assert.equal(looked?.found, 'never');
  }
});

it('a proxy’s answer leaves it in doubt, and decides nothing as a look-up', async () => {
  const words = Buffer.from('<h1>Bad Gateway</h1>');
  bridge.answers = () => ({ status: 502, body: words });
  const sent = await bridge.driver.sendText(bridge.channel, TEXT);
  assert.equal(sent.outcome, 'unknown');
  // Traefik answers 404 while there is no bridge, others 403 or 410.
  for (const status of [502, 503, 504, 404, 403, 410]) {
    bridge.answers = () => ({ status, body: words });
    for (const more of [{}, { to: '5531988887777' }, { ownId: '3EB0A1' }]) {
      const looked = await bridge.driver.findSent?.(bridge.channel, { ...DOUBTFUL, ...more });
      assert.equal(looked?.found, 'unknown', `${status} ${JSON.stringify(more)}`);
    }
  }
});
