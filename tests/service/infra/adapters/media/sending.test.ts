/**
 * Messages with media, end to end on both networks (C4.9,
 * D15).
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import * as v from 'valibot';
import { assertRefused, freshPhone, issuePaths } from '../../../../support/api.ts';
import { pluck } from '../../../../support/pluck.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { bytesOf, digestOf, read, sentTo, useFiles } from './media-fixture.ts';

const stack = useStack();
const files = useFiles();
const { a, b } = useOrganizations(stack, { a: {}, b: {} });
const folder = mkdtempSync(join(tmpdir(), 'recado-media-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const PICTURE = bytesOf('a picture, more or less ', 30_000);
const PNG = { 'content-type': 'image/png' };

function post(key: string, body: Readonly<Record<string, unknown>>) {
  return stack.call('POST', '/api/v1/messages', { key, body });
}

describe('a message with mediaUrl', () => {
  for (const provider of ['cloud', 'web'] as const) {
    test(`is downloaded before the 201 and sent over ${provider}, with its caption`, async () => {
      const mediaUrl = files.file('/foto.png', PICTURE, PNG);
      const key = provider === 'cloud' ? a.mainKey : a.shopKey;
      const phone = freshPhone();
      const sent = await stack.send(key, { phone, mediaUrl, text: 'a foto' });
      files.at.delete('/foto.png');
      const message = await stack.messageIn(key, sent, 'read');
      assert.equal(message.kind, 'image');
      assert.equal(message.text, 'a foto');
      assert.ok(message.media?.url);
      const { id, url, ...shown } = message.media;
      assert.deepEqual(shown, {
        mimeType: 'image/png',
        fileName: 'foto.png',
        sizeBytes: PICTURE.length,
      });
      assert.equal(url, `${stack.baseUrl}/api/v1/media/${id}`);
      const [arrived, ...more] = await sentTo(stack, phone);
      assert.deepEqual(more, []);
      assert.equal(arrived?.kind, 'image');
      assert.equal(arrived.text, 'a foto');
      assert.equal(arrived.media?.sha256, digestOf(PICTURE));
      assert.equal(arrived.media.mimeType, 'image/png');
    });
  }

  test('goes as the kind that the network’s table gives it', async () => {
    const kinds: readonly [string, string, string, string][] = [
      [a.mainKey, 'a.mp4', 'video/mp4', 'video'],
      [a.mainKey, 'a.ogg', 'audio/ogg; codecs=opus', 'audio'],
      [a.mainKey, 'a.pdf', 'application/pdf', 'document'],
      [a.mainKey, 'a.webp', 'image/webp', 'sticker'],
      [a.mainKey, 'a.tiff', 'image/tiff', 'document'],
      [a.shopKey, 'b.mp4', 'video/mp4', 'video'],
      [a.shopKey, 'b.ogg', 'audio/ogg', 'audio'],
      [a.shopKey, 'b.pdf', 'application/pdf', 'document'],
      [a.shopKey, 'b.webp', 'image/webp', 'sticker'],
      [a.mainKey, 'c.jpg', '', 'image'],
      [a.mainKey, 'c.unknown', 'nonsense', 'document'],
    ];
    await Promise.all(
      kinds.map(async ([key, name, type, kind]) => {
        const headers = type === '' ? {} : { 'content-type': type };
        const mediaUrl = files.file(`/${name}`, bytesOf(name), headers);
        const phone = freshPhone();
        const message = await stack.messageIn(
          key,
          await stack.send(key, { phone, mediaUrl }),
          'read',
        );
        assert.equal(message.kind, kind, name);
        assert.equal(message.text, null);
        const [arrived] = await sentTo(stack, phone);
        assert.ok(arrived);
        // A bridge that has no call for stickers is sent a file.
        const filed = kind === 'sticker' && key === a.shopKey && arrived.kind === 'document';
        assert.ok(filed || arrived.kind === kind, name);
        assert.equal(arrived.text, null);
        assert.equal(arrived.media?.sha256, digestOf(bytesOf(name)));
      }),
    );
  });

  test('keeps its place in the conversation', async () => {
    const phone = freshPhone();
    const mediaUrl = files.file('/ordem.pdf', bytesOf('x', 500_000), {
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename="../nota fiscal.pdf"',
    });
    await stack.send(a.mainKey, { phone, text: 'antes' });
    await stack.send(a.mainKey, { phone, mediaUrl, caption: 'a nota', text: 'ignorado' });
    await stack.messageIn(
      a.mainKey,
      await stack.send(a.mainKey, { phone, text: 'depois' }),
      'read',
    );
    const arrived = await sentTo(stack, phone);
    assert.deepEqual(pluck(arrived, 'text'), ['antes', 'a nota', 'depois']);
    assert.equal(arrived[1]?.media?.fileName, 'nota fiscal.pdf');
  });

  test('goes once although the network’s answer to it was lost', async () => {
    const mediaUrl = files.file('/incerto.png', bytesOf('in doubt'), PNG);
    await stack.network.fault({ session: a.session, loseAnswer: true, times: 1 });
    const phone = freshPhone();
    const sent = await stack.send(a.shopKey, { phone, mediaUrl });
    await stack.messageIn(a.shopKey, sent, 'read');
    assert.equal((await sentTo(stack, phone)).length, 1);
  });

  test('follows up to three redirects', async () => {
    const end = files.file('/end', bytesOf('the end'), PNG);
    files.redirect('/hop3', '/end', 307);
    files.redirect('/hop2', `${files.url}/hop3`, 301);
    const mediaUrl = files.redirect('/hop1', 'hop2');
    const phone = freshPhone();
    const sent = await stack.send(a.mainKey, { phone, mediaUrl });
    await stack.messageIn(a.mainKey, sent, 'read');
    assert.equal((await sentTo(stack, phone))[0]?.media?.sha256, digestOf(bytesOf('the end')));
    const fourth = files.redirect('/hop0', '/hop1');
    const refused = await post(a.mainKey, { phone: freshPhone(), mediaUrl: fourth });
    assert.deepEqual(issuePaths(refused), ['mediaUrl']);
    assert.ok(end);
  });

  test('that cannot be had is 422 at mediaUrl, and nothing is sent or made', async () => {
    const large = 25 * 1024 * 1024 + 1;
    files.at.set('/grande', (_request, response) => {
      response.writeHead(200, { ...PNG, 'content-length': large });
      response.write(bytesOf('x'));
    });
    files.at.set('/sem-fim', (_request, response) => {
      response.writeHead(200, PNG);
      const megabyte = Buffer.alloc(1024 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(megabyte));
      };
      response.on('drain', more);
      more();
    });
    files.at.set('/cortado', (_request, response) => {
      response.writeHead(200, { ...PNG, 'content-length': 100 });
      response.write('x', () => response.destroy());
    });
    files.file('/vazio', new Uint8Array(), PNG);
    const urls = [
      ...['/nada', '/grande', '/sem-fim', '/cortado', '/vazio'].map((path) => files.url + path),
      'http://no-such-host.invalid/a.png',
      'http://user:password@example.com/a.png',
      `${files.url}/${'x'.repeat(3_000)}`,
    ];
    for (const mediaUrl of urls) {
      const phone = freshPhone();
      const refused = await post(a.mainKey, { phone, mediaUrl, text: 'oi' });
      assert.deepEqual(issuePaths(refused), ['mediaUrl'], mediaUrl.slice(0, 60));
      assert.equal(await stack.contact(a.key, phone), null);
      assert.deepEqual(await sentTo(stack, phone), []);
    }
  });

  test('is run once under an Idempotency-Key', async () => {
    let downloads = 0;
    files.at.set('/uma-vez.png', (_request, response) => {
      downloads += 1;
      response.writeHead(200, PNG).end('once');
    });
    const phone = freshPhone();
    const body = { phone, mediaUrl: `${files.url}/uma-vez.png` };
    const headers = { 'idempotency-key': 'media-once' };
    const call = () => stack.call('POST', '/api/v1/messages', { key: a.mainKey, body, headers });
    const [first, again] = [await call(), await call()];
    assert.equal(first.status, 201);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(downloads, 1);
  });
});

describe('captions (decisions: Text with media)', () => {
  test('audio carries none: 422 at the field that brought it', async () => {
    const mediaUrl = files.file('/voz.ogg', bytesOf('voice'), { 'content-type': 'audio/ogg' });
    const phone = freshPhone();
    const withText = await post(a.mainKey, { phone, mediaUrl, text: 'oi' });
    assert.deepEqual(issuePaths(withText), ['text']);
    const withCaption = await post(a.shopKey, { phone, mediaUrl, caption: 'oi', text: 'x' });
    assert.deepEqual(issuePaths(withCaption), ['caption']);
    assert.equal(await stack.contact(a.key, phone), null);
  });

  test('text beyond 1024 characters is 422 at text, unless there is a caption', async () => {
    const mediaUrl = files.file('/legenda.png', PICTURE, PNG);
    const text = 'ç'.repeat(1_025);
    const phone = freshPhone();
    assert.deepEqual(issuePaths(await post(a.mainKey, { phone, mediaUrl, text })), ['text']);
    const both = { phone, mediaUrl, mediaId: 'fil_1' };
    assert.deepEqual(issuePaths(await post(a.mainKey, both)), ['mediaId']);
    await stack.send(a.mainKey, { phone, mediaUrl, text, caption: 'curta' });
  });
});

describe('a message with mediaId, and the library of the command line', () => {
  const FileSchema = v.object({ id: v.string(), ref: v.string(), mimeType: v.string() });
  const add = async (name: string, bytes: Uint8Array, ...more: readonly string[]) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return v.parse(FileSchema, await stack.ask('files', 'add', path, '--org', a.ref, ...more));
  };

  test('sends a file of the library, uploaded once for all its messages', async () => {
    const bytes = bytesOf('a logo ', 100_000);
    const logo = await add('logo.png', bytes, '--ref', 'logo');
    assert.deepEqual([logo.ref, logo.mimeType], ['logo', 'image/png']);
    const listed = v.parse(
      v.object({ data: v.array(FileSchema) }),
      await stack.ask('files', 'list', '--org', a.ref),
    );
    assert.ok(listed.data.some(({ id }) => id === logo.id));
    for (const key of [a.mainKey, a.shopKey, a.mainKey]) {
      const phone = freshPhone();
      const sent = await stack.send(key, { phone, mediaId: logo.id, caption: 'nosso logo' });
      const message = await stack.messageIn(key, sent, 'read');
      assert.equal(message.media?.fileName, 'logo.png');
      const [arrived] = await sentTo(stack, phone);
      assert.equal(arrived?.media?.sha256, digestOf(bytes));
      assert.equal(arrived.text, 'nosso logo');
      const got = await read(message.media.url ?? '', key);
      assert.ok(got.bytes.equals(bytes));
    }
  });

  test('an upload that the network has forgotten is renewed', async () => {
    const file = await add('renovado.png', bytesOf('renewed'));
    const send = async () => {
      const phone = freshPhone();
      const sent = await stack.send(a.mainKey, { phone, mediaId: file.id });
      await stack.messageIn(a.mainKey, sent, 'read');
      return sentTo(stack, phone);
    };
    await send();
    await stack.network.forget();
    assert.equal((await send())[0]?.media?.sha256, digestOf(bytesOf('renewed')));
  });

  test('unknown, removed and of another organization are 404', async () => {
    const file = await add('sai.pdf', bytesOf('gone soon'));
    const body = { phone: freshPhone(), mediaId: file.id };
    assertRefused(await post(b.mainKey, body), 404);
    assertRefused(await post(a.mainKey, { ...body, mediaId: 'fil_nobody' }), 404);
    await stack.ask('files', 'remove', 'sai.pdf', '--org', a.ref);
    assertRefused(await post(a.mainKey, body), 404);
    assert.equal(await stack.contact(a.key, body.phone), null);
  });
});
