/**
 * A network that cannot be reached, as the operator and the integrator see it. One that never
 * answered makes its channel not ready; one that answered before lets it go on sending. Nothing
 * that was accepted is lost.
 */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { loggedLines } from '../../../../../infra/adapters/log/logged-lines.ts';
import { LOG_EVENT } from '../../../../../shared/log-events.ts';
import { assertRefused, freshPhone } from '../../../../support/api.ts';
import { organizationFile, secretsOf } from '../../../../support/organization.ts';
import { shareStack } from '../../../../support/shared-stack.ts';
import type { Stack } from '../../../../support/stack.ts';
import { waitFor } from '../../../../support/wait-for.ts';

/** It takes connections and never answers. */
const HANGS = 0;

/** Below the ports that the system assigns: no other program gets it while it is closed. */
function freshPort(): number {
  return 20_000 + Math.floor(Math.random() * 10_000);
}

/** False: another program has the port. */
function listens(server: Server, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => resolve(true));
  return promise;
}

/** A Graph API of our own, which comes and goes on one port. */
class Graph {
  readonly texts: string[] = [];
  #server: Server | null = null;
  #port = 0;
  #status: number;

  constructor(status = 200) {
    this.#status = status;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async open(): Promise<this> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      response.writeHead(this.#status, { connection: 'close' });
      if (this.#status !== 200) return void response.end('{}');
      if (request.method !== 'POST') return void response.end('{"id":"1","status":"CONNECTED"}');
      this.texts.push(JSON.parse(body).text.body);
      response.end(JSON.stringify({ messages: [{ id: `wamid.${this.texts.length}` }] }));
    });
    if (this.#status === HANGS) server.removeAllListeners('request');
    let port = this.#port || freshPort();
    while (!(await listens(server, port))) port = this.#port || freshPort();
    this.#port = port;
    this.#server = server;
    return this;
  }

  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = null;
  }
}

let stack: Stack;
let ref: string;
let key: string;
const gone = new Graph();
const well = new Graph();
const forbidding = new Graph(401);
const failing = new Graph(503);
const hanging = new Graph(HANGS);
const graphs = [gone, well, forbidding, failing, hanging];

interface Channel {
  readonly id: string;
  readonly label: string;
  readonly ready: boolean;
  readonly reason: string | null;
}

before(async () => {
  for (const graph of graphs) await graph.open();
  gone.close();
  stack = await shareStack();
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
  await stack?.stop();
  for (const graph of graphs) graph.close();
});

async function channelOf(label: string): Promise<Channel> {
  const found = (await stack.channels(key)).find((each) => each.label === label);
  assert.ok(found, label);
  return found;
}

/** The channel whose network hangs, once it is not ready. */
function hanged(): Promise<Channel> {
  return waitFor(
    async () => {
      const channel = await channelOf('hanging');
      return channel.ready ? null : channel;
    },
    { what: 'the channel is not ready' },
  );
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
      const refused = await stack.request('POST', '/api/v1/messages', { key, body });
      assert.equal(assertRefused(refused, 409), reason);
    }
    assert.equal((await channelOf('well')).ready, true);
  });

  test('never answered: one that hangs holds up no command, and is told of within 15 s', async () => {
    assert.match((await hanged()).reason ?? '', /não respondeu a tempo/);
  });

  test('never answered: asked every 10 s, and ready once it answers', async () => {
    await gone.open();
    await waitFor(async () => (await channelOf('gone')).ready, { what: 'the channel is ready' });
    gone.close();
  });

  test('answered before: ready though it is gone and we crash, and nothing is lost', async () => {
    const { id: channelId } = await channelOf('well');
    well.close();
    const text = 'espera a rede';
    const sent = await stack.send(key, { channelId, phone: freshPhone(), text });
    const line = await waitFor(
      () =>
        loggedLines(stack.dataDir, LOG_EVENT.send).find(
          ({ messageId }) => messageId === sent.messageId,
        ),
      { what: 'the log tells of the send' },
    );
    assert.match(String(line.cause), /^ECONNREFUSED/);
    assert.equal(line.fault, 'refused');
    const networks = await waitFor(
      async () => (await doctorsNetworks()).find((detail) => detail.includes(`${ref}/well`)),
      { what: 'doctor tells of it' },
    );
    assert.match(networks, /recusou a conexão/);
    // Its request would begin anew with the next owner.
    await hanged();
    process.kill(stack.pid('actors'), 'SIGKILL');
    await stack.send(key, { channelId, phone: freshPhone(), text: 'depois' });
    assert.equal((await channelOf('well')).ready, true);
    await well.open();
    await waitFor(() => well.texts.includes(text) && well.texts.includes('depois'), {
      what: 'what was accepted has gone',
    });
    assert.deepEqual(well.texts.toSorted(), ['depois', text], 'each once');
  });
});

async function doctorsNetworks(): Promise<readonly string[]> {
  const { stdout } = await stack.spawnRecado(['doctor', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; detail: string }[] };
  return checks.filter(({ name }) => name === 'networks').map(({ detail }) => detail);
}
