/**
 * Files under way hold a bounded part of the process, measured by its own gauges. One
 * organization's slow servers, or a network that does not answer, leave room for the others (D129).
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import {
  DOWNLOADS_HELD_BYTES_PER_ORGANIZATION,
  MEDIA_UNDER_WAY_BYTES,
  UPLOADS_HELD_BYTES_PER_ORGANIZATION,
} from '../../../../../shared/limits.ts';
import { freshPhone } from '../../../../support/api.ts';
import { fetchPage, samplesOf, sumOf } from '../../../../support/infra/programs/cli/pages.ts';
import { organizationFile } from '../../../../support/organization.ts';
import { useStack } from '../../../../support/stack-hooks.ts';
import { GraphApi } from '../../../../support/stand-ins/graph-api.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { bytesOf, useFiles } from './media-fixture.ts';

const PDF = { 'content-type': 'application/pdf' };
const LARGE = bytesOf('0123456789abcdef', 200_000);
const DOWNLOADS = DOWNLOADS_HELD_BYTES_PER_ORGANIZATION / MEDIA_UNDER_WAY_BYTES;
const UPLOADS = UPLOADS_HELD_BYTES_PER_ORGANIZATION / MEDIA_UNDER_WAY_BYTES;

const network = new GraphApi();

const stack = useStack();
const files = useFiles();
before(async () => {
  await network.open();
  const [a, b] = ['a', 'b'].map((ref) => organizationFile(stack.prefix + ref));
  const channels = a?.channels.map((channel) => {
    const strict = channel.ref === 'main' ? { baseUrl: network.url } : {};
    return { ...channel, network: { ...channel.network, ...strict } };
  });
  await stack.apply({ orgs: [{ ...a, channels }, b] });
});
after(() => network.close());

function keyOf(ref: string): string {
  return organizationFile(stack.prefix + ref).keys.find((key) => key.ref === 'main')?.token ?? '';
}

async function gauge(name: string, way: string): Promise<number> {
  const samples = samplesOf(await fetchPage(stack.runFile().metricsUrl));
  return sumOf(samples, `recado_media_${name}`, { way });
}

function shows(name: string, way: string, wanted: number): Promise<unknown> {
  return waitUntil(`${name} of ${way} is ${wanted}`, async () =>
    (await gauge(name, way)) === wanted ? true : null,
  );
}

test('downloads that trickle hold their organization’s part, and all come in the end', async () => {
  const wanted = DOWNLOADS + 4;
  const open: ServerResponse[] = [];
  files.at.set('/gotas', (_request, response) => {
    response.writeHead(200, { ...PDF, 'content-length': LARGE.length });
    response.write(LARGE.subarray(0, 1_000_000));
    open.push(response);
  });
  const sends = Array.from({ length: wanted }, () =>
    stack.send(keyOf('a'), { phone: freshPhone(), mediaUrl: `${files.url}/gotas` }),
  );
  await shows('waiting', 'downloads', wanted - DOWNLOADS);
  assert.equal(await gauge('held_bytes', 'downloads'), DOWNLOADS_HELD_BYTES_PER_ORGANIZATION);
  assert.equal(files.asked('/gotas'), DOWNLOADS);
  const mediaUrl = files.file('/outra.pdf', bytesOf('small'), PDF);
  const sent = await stack.send(keyOf('b'), { phone: freshPhone(), mediaUrl });
  await stack.messageIn(keyOf('b'), sent, 'read');
  await waitUntil('the files that waited are asked for', () => {
    for (const response of open.splice(0)) response.end(LARGE.subarray(1_000_000));
    return files.asked('/gotas') === wanted || null;
  });
  for (const response of open.splice(0)) response.end(LARGE.subarray(1_000_000));
  await Promise.all(sends);
  assert.equal(await gauge('held_bytes', 'downloads'), 0);
});

test('different files at a network that does not answer are as many as the budget', async () => {
  const release = network.hold();
  const before = network.uploads.length;
  const wanted = UPLOADS + 5;
  for (let n = 0; n < wanted; n++) {
    const bytes = Buffer.concat([LARGE, Buffer.from([n])]);
    const mediaUrl = files.file(`/arquivo-${n}.pdf`, bytes, PDF);
    await stack.send(keyOf('a'), { phone: freshPhone(), mediaUrl });
  }
  await shows('waiting', 'uploads', wanted - UPLOADS);
  assert.equal(await gauge('held_bytes', 'uploads'), UPLOADS_HELD_BYTES_PER_ORGANIZATION);
  const mediaUrl = files.file('/da-outra.pdf', bytesOf('small'), PDF);
  const sent = await stack.send(keyOf('b'), { phone: freshPhone(), mediaUrl });
  await stack.messageIn(keyOf('b'), sent, 'read');
  release();
  await waitUntil(
    'every file is uploaded',
    () => network.uploads.length - before >= wanted || null,
  );
  assert.equal(network.uploads.length - before, wanted);
  assert.ok(network.uploading.most <= UPLOADS, `${network.uploading.most} uploads at once`);
  assert.deepEqual(network.complaints, []);
});
