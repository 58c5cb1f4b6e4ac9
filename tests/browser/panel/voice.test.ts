/** Voice messages, recorded from a browser's own test microphone and sent to both networks. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import * as v from 'valibot';
import { openBrowser } from '../../../infra/tools/chromium/chromium.ts';
import { ListMessagesAnswer } from '../../../shared/api/message.ts';
import { openPage, violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { waitFor, waitUntil } from '../../support/wait-for.ts';
import { openWith } from './open-conversation.ts';

const MICROPHONE = '--use-fake-device-for-media-stream';
const panel = usePanel([MICROPHONE, '--use-fake-ui-for-media-stream']);

/** Every track that the page was given. */
const KEEP_TRACKS = `{
  const given = globalThis.given = [];
  const media = navigator.mediaDevices;
  const original = media.getUserMedia.bind(media);
  media.getUserMedia = async (wanted) => {
    const stream = await original(wanted);
    given.push(...stream.getTracks());
    return stream;
  };
}`;

const toolOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const filesOf = (page: Page) => page.getByRole('list', { name: 'Anexos' }).getByRole('listitem');
const timerOf = (page: Page) => page.getByRole('timer', { name: 'Tempo de gravação' });

async function microphones(page: Page): Promise<readonly unknown[]> {
  const states: unknown = await page.evaluate('given.map(({ readyState }) => readyState)');
  assert.ok(Array.isArray(states));
  return states;
}

/** So many were given in all: one may be given after it was left, and is released then. */
async function assertReleased(page: Page, count: number): Promise<void> {
  const areReleased = async () => {
    const states = await microphones(page);
    return states.length === count && states.every((state) => state === 'ended');
  };
  await waitFor(areReleased, { what: `${count} microphones are released` });
}

const SentSchema = v.object({
  data: v.array(
    v.object({
      kind: v.string(),
      media: v.optional(v.object({ mimeType: v.string(), sha256: v.string() })),
    }),
  ),
});

/** The file that the network was given for the contact. */
async function heard(phone: string) {
  const { network } = panel.stack;
  return waitUntil('the network has a file', async () => {
    const { data } = v.parse(SentSchema, await network.control(`GET /sent?to=${phone}`));
    return data.find(({ media }) => media !== undefined);
  });
}

/** The newest file of the open thread, and how long this browser plays it. */
async function fileIn(page: Page) {
  const { stack, shop } = panel;
  const id = new URL(page.url()).pathname.replace('/conversas/', '');
  const path = `/api/v1/messages?conversationId=${id}&limit=20`;
  const { json } = await stack.call('GET', path, { key: shop.key });
  const media = v.parse(ListMessagesAnswer, json).data.find((each) => each.media)?.media;
  const headers = { authorization: `Bearer ${shop.key}` };
  const answer = await fetch(`${stack.baseUrl}/api/v1/media/${media?.id}`, { headers });
  assert.equal(answer.status, 200);
  const seconds = await page.evaluate(`fetch('/api/v1/media/${media?.id}')
    .then((answer) => answer.arrayBuffer())
    .then((bytes) => new OfflineAudioContext(1, 1, 48000).decodeAudioData(bytes))
    .then(({ duration }) => duration)`);
  return { bytes: Buffer.from(await answer.arrayBuffer()), seconds: Number(seconds) };
}

/** A page of Ogg, with the head of one channel of Opus. */
function assertVoice(bytes: Buffer): void {
  assert.equal(bytes.toString('latin1', 0, 4), 'OggS');
  const head = bytes.indexOf('OpusHead');
  assert.ok(head > 0 && head < 100, `${head}`);
  assert.equal(bytes[head + 9], 1, 'one channel');
  assert.ok(bytes.length > 1_000, `${bytes.length} bytes`);
}

const WAYS = [
  { channel: 'main', width: 1280, dark: false },
  { channel: 'shop', width: 390, dark: true },
] as const;

for (const { channel, width, dark } of WAYS) {
  test(`a voice message is recorded by keys alone, and goes to ${channel} (${width} px)`, async () => {
    const { page, context, offences } = await panel.signIn('ana', { width, dark, height: 844 });
    await page.evaluate(KEEP_TRACKS);
    const phone = await openWith(panel, page, `Voz ${channel}`, channel);
    await toolOf(page, 'Gravar áudio').press('Enter');
    const stop = toolOf(page, 'Parar gravação');
    await stop.waitFor();
    assert.equal(await stop.and(page.locator(':focus')).count(), 1, 'the focus stays');
    await timerOf(page).getByText('0:02').waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('textbox', { name: 'Mensagem' }).press('Enter');
    await page.getByRole('status').getByText('Pare a gravação antes de enviar.').waitFor();
    await stop.press('Enter');
    await filesOf(page)
      .getByText(/^Gravação .*\.ogg$/)
      .waitFor();
    await assertReleased(page, 1);
    await waitFor(async () => (await page.getByRole('progressbar').count()) === 0 || null, {
      what: 'the file is there',
    });
    assert.deepEqual(await violations(page), []);
    await toolOf(page, 'Enviar').press('Enter');
    const { kind, media } = await heard(phone);
    assert.deepEqual([kind, media?.mimeType.split(';')[0]], ['audio', 'audio/ogg']);
    const { bytes, seconds } = await fileIn(page);
    assertVoice(bytes);
    assert.ok(seconds > 1.5 && seconds < 60, `${seconds} s`);
    assert.equal(media?.sha256, createHash('sha256').update(bytes).digest('hex'));
    assert.deepEqual(offences, []);
    await context.close();
  });
}

test('discarded, or left with its conversation, a recording leaves nothing behind', async () => {
  const { page, context } = await panel.signIn('bia');
  await page.evaluate(KEEP_TRACKS);
  await openWith(panel, page, 'Outra');
  await openWith(panel, page, 'Desistente');
  await toolOf(page, 'Gravar áudio').click();
  await toolOf(page, 'Descartar gravação').click();
  await timerOf(page).waitFor({ state: 'detached' });
  const box = page.getByRole('textbox', { name: 'Mensagem' });
  assert.equal(await box.and(page.locator(':focus')).count(), 1);
  await assertReleased(page, 1);
  await toolOf(page, 'Gravar áudio').click();
  await timerOf(page).getByText('0:01').waitFor();
  const list = page.getByRole('list', { name: 'Conversas' });
  await list.getByRole('link', { name: 'Outra' }).click();
  await page.getByRole('heading', { name: 'Outra' }).first().waitFor();
  await toolOf(page, 'Gravar áudio').waitFor();
  await assertReleased(page, 2);
  assert.equal(await filesOf(page).count(), 0);
  assert.equal(await timerOf(page).count(), 0);
  await context.close();
});

test('a recording stops after 15 minutes, and is attached', async () => {
  const { page, context } = await panel.signIn('bia');
  await openWith(panel, page, 'Longa');
  await page.clock.install();
  await toolOf(page, 'Gravar áudio').click();
  await timerOf(page).getByText('0:01').waitFor();
  await page.clock.fastForward('15:01');
  await page.getByRole('status').getByText('chegou ao limite').waitFor();
  await filesOf(page)
    .getByText(/^Gravação/)
    .waitFor();
  await context.close();
});

/** The page as another browser has it. */
async function elsewhere(context: BrowserContext, page: Page, script: string): Promise<void> {
  await context.addInitScript(script);
  await page.reload();
}

test('a browser without WebM records what it can, and one without a format says so', async () => {
  const { page, context } = await panel.signIn('ana');
  const takes = (test: string) => `MediaRecorder.isTypeSupported = (type) => ${test};`;
  await elsewhere(context, page, takes("type === 'audio/mp4'"));
  await openWith(panel, page, 'De maçã');
  await toolOf(page, 'Gravar áudio').click();
  await timerOf(page).getByText('0:01').waitFor();
  await toolOf(page, 'Parar gravação').click();
  await filesOf(page)
    .getByText(/\.m4a$/)
    .waitFor();
  await elsewhere(context, page, takes('false'));
  await toolOf(page, 'Gravar áudio').click();
  await page.getByRole('status').getByText('Este navegador não grava').waitFor();
  await context.close();
});

test('over plain http the button says why it does not record', async () => {
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  await elsewhere(context, page, "Object.defineProperty(navigator, 'mediaDevices', {});");
  await openWith(panel, page, 'Por http');
  await toolOf(page, 'Gravar áudio').press('Enter');
  await page.getByRole('status').getByText('Abra o painel por https').waitFor();
  assert.deepEqual(await violations(page), []);
  await context.close();
});

test('a denied microphone says so in words, and so does none', async () => {
  const denying = await openBrowser([MICROPHONE, '--use-fake-ui-for-media-stream=deny']);
  try {
    const { page, offences } = await openPage(denying, panel.url);
    await page.goto(await panel.link('ana'));
    await page.getByRole('button', { name: 'Agora não' }).click();
    await openWith(panel, page, 'Calada');
    await toolOf(page, 'Gravar áudio').press('Enter');
    await page.getByRole('status').getByText('O navegador não deu o microfone').waitFor();
    const tool = toolOf(page, 'Gravar áudio');
    assert.equal(await tool.and(page.locator(':focus')).count(), 1);
    await page.evaluate(`navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException('', 'NotFoundError'))`);
    await tool.press('Enter');
    await page.getByRole('status').getByText('Nenhum microfone foi encontrado.').waitFor();
    assert.deepEqual(offences, []);
  } finally {
    await denying.close();
  }
});
