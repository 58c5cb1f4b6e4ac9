/** The site of infra/deploy/proxy/nginx.conf in a real nginx, before stand-ins of the roles. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { freePort } from '../../../../infra/programs/service/supervisor/ports.ts';
import { ROOT } from '../../../../infra/tools/source.ts';
import {
  checkConfiguration,
  type Nginx,
  nginxProgram,
  startNginx,
  writeConfiguration,
} from '../../../support/infra/deploy/nginx.ts';
import { issueCertificates } from '../../../support/nats/certificates.ts';
import { type Arrived, record, serve } from '../../../support/stand-ins/server.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const SITE = readFileSync(join(ROOT, 'infra/deploy/proxy/nginx.conf'), 'utf8');
const HOST = '127.0.0.1';
const MIB = 1024 * 1024;

interface Ports {
  readonly http: number;
  readonly https: number;
  readonly gateway: number;
  readonly panel: number;
}

/** The site at other ports, with a certificate of the test. */
function placed(folder: string, { http, https, gateway, panel }: Ports): string {
  const { cert, key } = issueCertificates(folder, 'proxy');
  return SITE.replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replaceAll('listen 80;', `listen ${HOST}:${http};`)
    .replaceAll('listen 443 ssl http2;', `listen ${HOST}:${https} ssl http2;`)
    .replaceAll(/ssl_certificate \S+;/g, `ssl_certificate ${cert};`)
    .replaceAll(/ssl_certificate_key \S+;/g, `ssl_certificate_key ${key};`)
    .replace(`server ${HOST}:8080;`, `server ${HOST}:${gateway};`)
    .replace(`server ${HOST}:8081;`, `server ${HOST}:${panel};`);
}

interface Call {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

interface Answer {
  readonly status: number | undefined;
  /** What has come so far, and all of it once `ended`. */
  readonly text: () => string;
  readonly ended: Promise<void>;
  readonly close: () => void;
}

function call({ port, host, path, headers = {}, body }: Call): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const asked = request({
    ...{ host: HOST, port, path, method: body ? 'POST' : 'GET', servername: host },
    ...{ rejectUnauthorized: false, agent: false },
    headers: { host, ...headers, ...(body ? { 'content-length': body.length } : {}) },
  });
  asked.once('error', reject).once('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    const ended = new Promise<void>((done) => response.once('close', done));
    resolve({
      ...{ status: response.statusCode, text: () => text, ended },
      close: () => asked.destroy(),
    });
  });
  asked.end(body);
  return promise;
}

describe('the site for nginx', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recado-nginx-'));
  let nginx: Nginx | null = null;
  let reason = '';

  before(async () => {
    try {
      nginx = await nginxProgram();
    } catch (error) {
      reason = `no nginx can be unpacked here: ${String(error).split('\n').at(-1)}`;
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function unlessAbsent(context: TestContext): Nginx | null {
    if (nginx === null) context.skip(reason);
    return nginx;
  }

  test('is accepted, and a fault in it would not be', async (context) => {
    const program = unlessAbsent(context);
    if (program === null) return;
    const [http, https] = [await freePort(HOST), await freePort(HOST)];
    const site = placed(folder, { http, https, gateway: 8080, panel: 8081 });
    assert.equal(await checkConfiguration(program, writeConfiguration(folder, site)), null);
    const wrong = site.replace('proxy_buffering off;', 'proxy_bufering off;');
    const said = await checkConfiguration(program, writeConfiguration(folder, wrong));
    assert.match(said ?? '', /unknown directive "proxy_bufering"/);
  });

  test('passes calls, addresses, events and bodies on as they are', async (context) => {
    const program = unlessAbsent(context);
    if (program === null) return;
    let speak = (_text: string): void => assert.fail('nobody listens');
    await using events = await serve((asked, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`at ${asked.url}\n\n`);
      speak = (text) => void response.write(text);
    });
    const answer = ({ path, bytes }: Arrived) => ({ body: `gateway ${path} ${bytes.length}` });
    await using gateway = await record(answer);
    const [http, https] = [await freePort(HOST), await freePort(HOST)];
    const ports = { http, https, gateway: gateway.port, panel: events.port };
    const site = placed(folder, ports);
    const file = writeConfiguration(folder, site);
    await using _running = startNginx(program, file);
    const api = { port: https, host: 'api.example.com' };
    const forged = { 'x-forwarded-for': '192.0.2.9' };
    const ask = () => call({ ...api, path: '/api/v1/me', headers: forged }).catch(() => null);
    const first = await waitUntil('nginx answers', ask);
    await first.ended;
    assert.equal(first.text(), 'gateway /api/v1/me 0');
    const { headers } = gateway.arrived.at(-1) ?? assert.fail();
    assert.equal(headers['x-forwarded-for'], HOST, 'nobody forges an address');
    assert.equal(headers.host, 'api.example.com');
    assert.equal(headers.connection, undefined, 'the connection is kept for the next call');

    const path = '/networks/web/chn_1';
    const largest = await call({ ...api, path, body: Buffer.alloc(4 * MIB) });
    await largest.ended;
    assert.equal(largest.text(), `gateway ${path} ${4 * MIB}`);
    const larger = await call({ ...api, path, body: Buffer.alloc(4 * MIB + 1) });
    await larger.ended;
    assert.equal(larger.status, 413);

    const panel = { port: https, host: 'painel.example.com' };
    const stream = await call({ ...panel, path: '/panel/api/events' });
    await waitUntil('the first event is here', () => stream.text().includes('at /panel/api'));
    speak('data: now\n\n');
    await waitUntil('a later one, before the end', () => stream.text().endsWith('now\n\n'));
    stream.close();
    const upgrade = await fetch(`http://${HOST}:${http}/entrar`, { redirect: 'manual' });
    assert.equal(upgrade.status, 301);
  });
});
