/** Readiness and media downloads of `cloud`, over real HTTP. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MediaDownload } from '../../../../../shared/ports/network.ts';
import type { Readiness } from '../../../../../shared/ports/network-event.ts';
import { channelOf } from '../../../../support/infra/adapters/network/network-fixture.ts';
import { withGraphApi } from '../../../../support/stand-ins/graph-api.ts';
import { json, type Reply } from '../../../../support/stand-ins/server.ts';
import { payloadOf } from './cloud-batch.ts';

const channel = channelOf('cloud');

describe('cloud: readiness by the health of the number', () => {
  async function statusOf(name: string): Promise<{ readiness: Readiness; fields: string }> {
    let fields = '';
    const readiness = await withGraphApi(
      (request) => {
        fields = new URL(request.path, 'http://peer').searchParams.get('fields') ?? '';
        return { status: 200, body: payloadOf(name) };
      },
      (driver) => driver.status(channel),
    );
    return { readiness, fields };
  }

  it('asks for the health status beside the number’s own', async () => {
    const { fields } = await statusOf('health-available');
    assert.ok(fields.split(',').includes('health_status'));
    assert.ok(fields.split(',').includes('status'));
  });

  it('an API that does not know the health status is asked without it', async () => {
    const readiness = await withGraphApi(
      (request) =>
        request.path.includes('health_status')
          ? { status: 400, body: '{"error":{"code":100,"message":"nonexisting field"}}' }
          : { status: 200, body: '{"id":"1001","status":"CONNECTED"}' },
      (driver) => driver.status(channel),
    );
    assert.deepEqual(readiness, { ready: true });
  });

  for (const name of ['health-available', 'health-limited']) {
    it(`${name}: it can send`, async () => {
      const paid = { ready: true, unpaid: false };
      assert.deepEqual((await statusOf(name)).readiness, paid);
    });
  }

  it('health-payment: an account that owes is ready, for what is free', async () => {
    const owing = { ready: true, unpaid: true };
    assert.deepEqual((await statusOf('health-payment')).readiness, owing);
  });

  it('an account that owes and is locked too is not ready', async () => {
    const blocked = (entity_type: string, error_code: number) => {
      return { entity_type, can_send_message: 'BLOCKED', errors: [{ error_code }] };
    };
    const entities = [blocked('WABA', 141_006), blocked('PHONE_NUMBER', 131_031)];
    const health_status = { can_send_message: 'BLOCKED', entities };
    const readiness = await withGraphApi(
      () => json({ status: 'CONNECTED', health_status }),
      (driver) => driver.status(channel),
    );
    assert.ok(readiness.ready === false);
    assert.match(readiness.reason, /bloqueada/);
  });

  for (const [name, what, reason] of [
    ['health-app-blocked', 'an unknown code is told with its place', /aplicativo.*141099/],
  ] as const) {
    it(`${name} is not ready: ${what}`, async () => {
      const { readiness } = await statusOf(name);
      assert.ok(readiness.ready === false);
      assert.match(readiness.reason, reason);
    });
  }
});

describe('cloud: downloads', () => {
  const described = (origin: string): Reply => {
    return json({ id: '660012', url: `${origin}/file`, mime_type: 'image/png' });
  };

  async function downloadOf(
    ofId: ((origin: string) => Reply) | Reply,
    ofAddress: Reply = { status: 200, body: 'png' },
  ): Promise<{ download: MediaDownload; agents: readonly (string | undefined)[] }> {
    const agents: (string | undefined)[] = [];
    const download = await withGraphApi(
      (request, origin) => {
        agents.push(request.headers['user-agent']);
        if (request.path === '/file') return ofAddress;
        return typeof ofId === 'function' ? ofId(origin) : ofId;
      },
      async (driver) => {
        const media = { networkMediaId: '660012', mimeType: 'image/png' };
        const begun = await driver.download(channel, media);
        if (begun.downloaded) begun.discard();
        return begun;
      },
    );
    return { download, agents };
  }

  it('sends a User-Agent with both requests', async () => {
    const { download, agents } = await downloadOf(described);
    assert.equal(download.downloaded, true);
    assert.equal(agents.length, 2);
    for (const agent of agents) assert.match(agent ?? '', /^Recado/);
  });

  it('a file that is gone is asked for once', async () => {
    const gone = { status: 404, body: '' };
    const answers = [
      await downloadOf({ status: 400, body: payloadOf('error-media-gone') }),
      await downloadOf(gone),
      await downloadOf(described, gone),
    ];
    for (const { download } of answers) assert.ok(!download.downloaded && download.final);
  });

  it('whatever may pass is asked for again', async () => {
    const answers = [
      await downloadOf({ status: 401, body: '{"error":{"code":190}}' }),
      await downloadOf({ status: 400, body: '{"error":{"code":100}}' }),
      await downloadOf({ status: 503, body: '' }),
      await downloadOf(described, { status: 401, body: '' }),
      await downloadOf(described, { status: 500, body: '' }),
    ];
    for (const { download } of answers) assert.ok(!download.downloaded && !download.final);
  });
});
