/** One file to many contacts: one upload per number, whatever is under way (D127). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as v from 'valibot';
import { freshPhone } from '../../../../support/api.ts';
import { fetchPage, samplesOf, sumOf } from '../../../../support/infra/programs/cli/pages.ts';
import { organizationFile } from '../../../../support/organization.ts';
import { useStack } from '../../../../support/stack-hooks.ts';
import { GraphApi } from '../../../../support/stand-ins/graph-api.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { bytesOf, digestOf, libraryFile } from './media-fixture.ts';

const CONTACTS = 500;
const SENDERS = 24;
const PICTURE = bytesOf('the same picture for all ', 40_000);

const network = new GraphApi();
let mediaId: string;
/** By the ref of the channel. */
let keys: Readonly<Record<string, string>>;
let readBefore: number;

const stack = useStack();
before(async () => {
  await network.open();
  const ref = `${stack.prefix}a`;
  const file = organizationFile(ref);
  const [main] = file.channels;
  const strict = ['main', 'second'].map((channel, index) => {
    const number = { baseUrl: network.url, phoneNumberId: `number-${index}` };
    const phone = `+55 11 4000-300${index}`;
    return { ...main, ref: channel, phone, network: { ...main?.network, ...number } };
  });
  await stack.apply({ orgs: [{ ...file, keys: [], channels: strict }] });
  const made = await Promise.all(
    ['main', 'second'].map(async (channel) => {
      const args = ['keys', 'create', '--org', file.ref, '--name', channel, '--scope', 'channel'];
      const answer = await stack.ask(...args, '--channel', channel);
      return [channel, v.parse(v.object({ token: v.string() }), answer).token] as const;
    }),
  );
  keys = Object.fromEntries(made);
  mediaId = await libraryFile(stack, ref, { name: 'foto.png', bytes: PICTURE });
  readBefore = await reads();
});
after(() => network.close());

/** As an integrator that waits for answers: hundreds of calls at a time may be refused (D78). */
function sendTo(contacts: number, ref: string): Promise<unknown> {
  const key = keys[ref] ?? '';
  let left = contacts;
  const sender = async () => {
    while (left-- > 0) await stack.send(key, { phone: freshPhone(), mediaId });
  };
  return Promise.all(Array.from({ length: SENDERS }, sender));
}

function allTaken(messages: number): Promise<true> {
  return waitUntil(
    `${messages} messages at the network, not ${network.uploadIds.length}`,
    () => network.uploadIds.length >= messages || null,
  );
}

/** Files that were read for networks since the start of the service. */
async function reads(): Promise<number> {
  const samples = samplesOf(await fetchPage(stack.runFile().metricsUrl));
  return sumOf(samples, 'recado_media_lent_total');
}

test('five hundred messages of one file are one upload per number', async () => {
  const release = network.hold();
  await Promise.all([sendTo(CONTACTS, 'main'), sendTo(3, 'second')]);
  await waitUntil('an upload of each number', () => network.uploading.now >= 2 || null);
  release();
  await allTaken(CONTACTS + 3);
  const sha256 = digestOf(PICTURE);
  const numbers = network.uploads.map((upload) => upload.number).sort();
  assert.deepEqual(numbers, ['number-0', 'number-1']);
  assert.ok(network.uploads.every((upload) => upload.sha256 === sha256));
  assert.equal((await reads()) - readBefore, 2, 'the file is read once per number');
  assert.deepEqual(network.complaints, []);
});

test('an upload that the network has forgotten is renewed once for all that wait', async () => {
  const before = { uploads: network.uploads.length, taken: network.uploadIds.length };
  network.forget();
  const release = network.hold();
  await sendTo(200, 'main');
  await waitUntil('the upload of the renewal', () => network.uploading.now >= 1 || null);
  release();
  await allTaken(before.taken + 200);
  assert.equal(network.uploads.length - before.uploads, 1);
  assert.equal((await reads()) - readBefore, 3);
});
