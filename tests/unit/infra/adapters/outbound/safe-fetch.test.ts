import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import {
  createOutbound,
  type OutboundOptions,
} from '../../../../../infra/adapters/outbound/safe-fetch.ts';
import type { PostOutcome } from '../../../../../shared/ports/outbound.ts';
import { realClock } from '../../../../support/infra/adapters/outbound/real-clock.ts';
import { type Listener, listen } from '../../../../support/stand-ins/listener.ts';
import { serveTcp } from '../../../../support/stand-ins/server.ts';

interface Tried {
  readonly outcome: PostOutcome;
  readonly listener: Listener;
}

/** One POST to a subscriber on the loopback range that answers so. */
async function postTo(
  answer: RequestListener,
  options: Partial<OutboundOptions> = {},
): Promise<Tried> {
  await using listener = await listen(answer);
  const outbound = createOutbound({ allow: [], loopback: true, clock: realClock, ...options });
  const url = `http://127.0.0.1:${listener.port}/hook`;
  const headers = { 'X-Service-Event': 'deal.won' };
  const outcome = await outbound.post(url, '{"event":"deal.won"}', headers);
  await outbound.close();
  return { outcome, listener };
}

const kindOf = (outcome: PostOutcome) => (outcome.ok ? 'head' : outcome.kind);

function head(outcome: PostOutcome) {
  if (!outcome.ok) throw new Error(`no head: ${outcome.kind} ${outcome.error}`);
  return outcome;
}

test('a 2xx within the deadline is a head with the beginning of the body', async () => {
  const { outcome, listener } = await postTo((request, response) => {
    response.end(`got ${request.headers['x-service-event']}`);
  });
  assert.equal(head(outcome).status, 200);
  assert.equal(head(outcome).body, 'got deal.won');
  assert.deepEqual(listener.bodies(), ['{"event":"deal.won"}']);
});

test('a 2xx with a head of up to 64 KiB is accepted, a longer head is none', async () => {
  const answering = (bytes: number) =>
    postTo((_, response) => {
      const cookies = Array.from(
        { length: bytes / 1024 },
        (_each, at) => `c${at}=${'x'.repeat(1000)}`,
      );
      response.setHeader('set-cookie', cookies).end('got it');
    });
  for (const bytes of [17, 60]) {
    const { outcome } = await answering(bytes * 1024);
    assert.equal(head(outcome).status, 200, `${bytes} KiB`);
    assert.equal(head(outcome).body, 'got it');
  }
  const { outcome } = await answering(80 * 1024);
  assert.equal(kindOf(outcome), 'network');
});

test('a head that does not come within the deadline is a time-out', async () => {
  const { outcome } = await postTo(() => undefined, { timeoutMs: 150 });
  assert.equal(kindOf(outcome), 'timeout');
});

test('a connection that answers nothing at all is a time-out', async () => {
  await using silent = await serveTcp();
  const outbound = createOutbound({ allow: [], loopback: true, clock: realClock, timeoutMs: 150 });
  const outcome = await outbound.post(`https://127.0.0.1:${silent.port}/`, '{}', {});
  assert.equal(kindOf(outcome), 'timeout');
  await outbound.close();
});

test('a body that drips costs its own bounded time and not the success', async () => {
  const { outcome } = await postTo(
    (request, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      request.socket.once('close', () => clearInterval(drip));
    },
    { answerMs: 200 },
  );
  assert.equal(head(outcome).status, 200);
  assert.match(head(outcome).body, /^x+$/);
});

test('of a huge body at most 64 KiB are read and 2 KiB kept', async () => {
  let written = 0;
  const chunk = Buffer.alloc(16 * 1024, 'y');
  const { outcome } = await postTo(
    (_, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.on('drain', pour);
      pour();
    },
    { answerMs: 60_000 },
  );
  assert.equal(head(outcome).body, 'y'.repeat(2048));
  assert.ok(written < 32 * 1024 * 1024, `${written} bytes`);
});

test('the kept body is cut between characters and holds at most 2 KiB', async () => {
  const cut = await postTo((_, response) => response.end(`a${'é'.repeat(5_000)}`));
  assert.equal(head(cut.outcome).body, `a${'é'.repeat(1023)}`);
  const broken = await postTo((_, response) => response.end(Buffer.alloc(4_000, 0xff)));
  assert.ok(Buffer.byteLength(head(broken.outcome).body) <= 2048);
});

test('a redirect is not followed: the 3xx is the outcome', async () => {
  await using elsewhere = await listen((_, response) => response.end());
  const { outcome } = await postTo((_, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${elsewhere.port}/` }).end();
  });
  assert.equal(head(outcome).status, 307);
  assert.equal(elsewhere.connections(), 0);
});

test('Retry-After is told in milliseconds, whether seconds or a date', async () => {
  const asking = (value: string) =>
    postTo((_, response) => response.writeHead(429, { 'retry-after': value }).end());
  assert.equal(head((await asking('7')).outcome).retryAfterMs, 7_000);
  const date = new Date(Date.now() + 60_000).toUTCString();
  const untilDate = head((await asking(date)).outcome).retryAfterMs ?? 0;
  assert.ok(untilDate > 50_000 && untilDate <= 60_000, `${untilDate}`);
  assert.equal(head((await asking('soon')).outcome).retryAfterMs, undefined);
  assert.equal(head((await asking('-1')).outcome).retryAfterMs, undefined);
});

test('failures are told apart: refused, reset, tls, dns', async () => {
  const closed = await listen((_, response) => response.end());
  await closed.close();
  const resolve = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
  const outbound = createOutbound({ allow: [], loopback: true, clock: realClock, resolve });
  const kind = async (url: string) => kindOf(await outbound.post(url, '{}', {}));
  assert.equal(await kind(`http://127.0.0.1:${closed.port}/`), 'refused');
  assert.equal(await kind('http://nowhere.example/'), 'dns');
  const reset = await postTo((request) => request.socket.resetAndDestroy());
  assert.equal(kindOf(reset.outcome), 'reset');
  await using plain = await listen((_, response) => response.end());
  assert.equal(await kind(`https://127.0.0.1:${plain.port}/`), 'tls');
  await outbound.close();
});

test('a name is judged by every address it has, registering and connecting', async () => {
  await using listener = await listen((_, response) => response.end());
  const addresses = ['93.184.215.14', '127.0.0.1'].map((address) => ({ address, family: 4 }));
  const resolve = () => Promise.resolve(addresses);
  const outbound = createOutbound({ allow: [], loopback: false, clock: realClock, resolve });
  const url = `http://rebound.example:${listener.port}/`;
  assert.match(
    (await outbound.refuse(url)) ?? '',
    /^leads to an address of an internal network; rebound\.example:\d+ in the service's PRIVATE_NETWORK_ALLOW allows it$/,
  );
  const outcome = await outbound.post(url, '{}', {});
  assert.equal(kindOf(outcome), 'blocked_address');
  assert.equal(listener.connections(), 0);
  await outbound.close();
});

test('a name that turns inwards after registration is refused at the connection', async () => {
  await using listener = await listen((_, response) => response.end());
  let asked = 0;
  const resolve = () => {
    asked += 1;
    return Promise.resolve([{ address: asked === 1 ? '1.1.1.1' : '127.0.0.1', family: 4 }]);
  };
  const outbound = createOutbound({ allow: [], loopback: false, clock: realClock, resolve });
  const url = `http://rebinding.example:${listener.port}/`;
  assert.equal(await outbound.refuse(url), null);
  const outcome = await outbound.post(url, '{}', {});
  assert.equal(kindOf(outcome), 'blocked_address');
  assert.equal(listener.connections(), 0);
  await outbound.close();
});

test('localhost is refused unless the list or the setting admits it', async () => {
  await using listener = await listen((_, response) => response.end('ok'));
  const url = `http://localhost:${listener.port}/`;
  const strict = createOutbound({ allow: [], loopback: false, clock: realClock });
  const refusal = (await strict.refuse(url)) ?? '';
  assert.match(refusal, /PRIVATE_NETWORK_ALLOW .* EVENTS_TO_LOOPBACK=true$/);
  const outcome = await strict.post(url, '{}', {});
  assert.equal(kindOf(outcome), 'blocked_address');
  assert.equal(listener.connections(), 0);
  const allow = [`localhost:${listener.port}`];
  const listed = createOutbound({ allow, loopback: false, clock: realClock });
  assert.equal(await listed.refuse(url), null);
  assert.equal(head(await listed.post(url, '{}', {})).status, 200);
  await Promise.all([strict.close(), listed.close()]);
});

test('registration refuses with a reason what is no plain web address', async () => {
  const resolve = () => Promise.reject(new Error('none'));
  const outbound = createOutbound({ allow: [], loopback: true, clock: realClock, resolve });
  for (const [url, reason] of [
    ['ftp://1.1.1.1/', /http/],
    ['file:///etc/passwd', /http/],
    ['http://a:b@1.1.1.1/', /user or a password/],
    ['nada', /http or https/],
    ['http://1.1.1.1:0/', /a port from/],
    [`http://1.1.1.1/${'a'.repeat(3000)}`, /2048/],
  ] as const) {
    assert.match((await outbound.refuse(url)) ?? '', reason);
  }
  const ours = ['not-yet-registered.example/', '1.1.1.1/hook', '[2606:4700:4700::1111]/hook'];
  for (const each of ours) assert.equal(await outbound.refuse(`https://${each}`), null, each);
  assert.equal(await outbound.refuse('http://1.1.1.1/hook'), null);
  const posted = await outbound.post('http://a:b@127.0.0.1/', '{}', {});
  assert.equal(kindOf(posted), 'blocked_address');
  await outbound.close();
});
