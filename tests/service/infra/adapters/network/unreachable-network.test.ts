/**
 * A network that cannot be reached, as the operator and the integrator see it. One that never
 * answered makes its channel not ready; one that answered before lets it go on sending. Nothing
 * that was accepted is lost.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { loggedLines } from '../../../../../infra/adapters/log/logged-lines.ts';
import { LOG_EVENT } from '../../../../../shared/log-events.ts';
import { assertRefused, freshPhone } from '../../../../support/api.ts';
import { organizationFile, secretsOf } from '../../../../support/organization.ts';
import { useStack } from '../../../../support/stack-hooks.ts';
import { GraphApi } from '../../../../support/stand-ins/graph-api.ts';
import { json } from '../../../../support/stand-ins/server.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

let ref: string;
let key: string;
const gone = new GraphApi();
const well = new GraphApi();
const forbidding = new GraphApi(json({}, 401));
const failing = new GraphApi(json({}, 503));
const hanging = new GraphApi('hang');
const graphs = [gone, well, forbidding, failing, hanging];

interface Channel {
  readonly id: string;
  readonly label: string;
  readonly ready: boolean;
  readonly reason: string | null;
}

const stack = useStack();
before(async () => {
  for (const graph of graphs) await graph.open();
  await gone.close();
  ref = `${stack.prefix}loja`;
  const addresses = {
    gone: gone.url,
    well: well.url,
    forbidding: forbidding.url,
    failing: failing.url,
    hanging: hanging.url,
    nameless: 'http://nobody.invalid',
    plain: well.url.replace('http:', 'https:'),
  };
  const channels = Object.entries(addresses).map(([label, baseUrl]) => ({
    ...{ ref: label, label, provider: 'cloud', phone: '+55 11 4000-1000' },
    network: { ...secretsOf(ref), phoneNumberId: label, baseUrl },
  }));
  const file = organizationFile(ref);
  const [erp] = file.keys;
  assert.ok(erp);
  key = erp.token;
  await stack.apply({ orgs: [{ ...file, channels, keys: [erp] }] });
});
after(async () => {
  for (const graph of graphs) await graph.close();
});

async function channelOf(label: string): Promise<Channel> {
  const found = (await stack.channels(key)).find((each) => each.label === label);
  assert.ok(found, label);
  return found;
}

/** The channel whose network hangs, once it is not ready. */
function hanged(): Promise<Channel> {
  return waitUntil('the channel is not ready', async () => {
    const channel = await channelOf('hanging');
    return channel.ready ? null : channel;
  });
}

describe('a network that cannot be reached', { concurrency: true }, () => {
  const CAUSES: readonly (readonly [string, RegExp])[] = [
    ['gone', /recusou a conexão/],
    ['nameless', /DNS/],
    ['plain', /TLS/],
    ['forbidding', /token de acesso/],
    ['failing', /erro interno \(503\)/],
  ];

  test('never answered: not ready when the command returns, with the cause', async () => {
    for (const [label, cause] of CAUSES) {
      const { id, ready, reason } = await channelOf(label);
      assert.equal(ready, false, label);
      assert.match(reason ?? '', cause);
      assert.doesNotMatch(reason ?? '', /secret|127\.0\.0\.1|invalid\b/, 'no address, no secret');
      const body = { channelId: id, phone: freshPhone(), text: 'não vai' };
      const refused = await stack.call('POST', '/api/v1/messages', { key, body });
      assert.equal(assertRefused(refused, 409), reason);
    }
    assert.equal((await channelOf('well')).ready, true);
  });

  test('never answered: one that hangs holds up no command, and is told of', async () => {
    assert.match((await hanged()).reason ?? '', /não respondeu a tempo/);
  });

  test('never answered: asked every 10 s, and ready once it answers', async () => {
    await gone.open();
    await waitUntil('the channel is ready', async () => (await channelOf('gone')).ready);
    await gone.close();
  });

  test('answered before: ready though it is gone and we crash, and nothing is lost', async () => {
    const { id: channelId } = await channelOf('well');
    await well.close();
    const text = 'espera a rede';
    const sent = await stack.send(key, { channelId, phone: freshPhone(), text });
    const line = await waitUntil('the log tells of the send', () =>
      loggedLines(stack.dataDir, LOG_EVENT.send).find(
        ({ messageId }) => messageId === sent.messageId,
      ),
    );
    assert.match(String(line.cause), /^ECONNREFUSED/);
    assert.equal(line.fault, 'refused');
    const networks = await waitUntil('doctor tells of it', async () =>
      (await doctorsNetworks()).find((detail) => detail.includes(`${ref}/well`)),
    );
    assert.match(networks, /recusou a conexão/);
    // Its request would begin anew with the next owner.
    await hanged();
    process.kill(stack.pid('actors'), 'SIGKILL');
    await stack.send(key, { channelId, phone: freshPhone(), text: 'depois' });
    assert.equal((await channelOf('well')).ready, true);
    await well.open();
    await waitUntil(
      'what was accepted has gone',
      () => well.texts.includes(text) && well.texts.includes('depois'),
    );
    assert.deepEqual(well.texts.toSorted(), ['depois', text], 'each once');
  });
});

async function doctorsNetworks(): Promise<readonly string[]> {
  const { stdout } = await stack.spawnRecado(['doctor', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; detail: string }[] };
  return checks.filter(({ name }) => name === 'networks').map(({ detail }) => detail);
}
