/**
 * Edits, deletions and double chat forms over the networks' own webhooks, signed as the networks
 * sign them (D152, D153). The shapes are those of WAHA's documentation of its events
 * `message.edited` and `message.revoked`. Others are of the Cloud API's messages of type `edit` and
 * `revoke`. All people are invented.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus } from '../../../../support/api/answers.ts';
import { freshPhone } from '../../../../support/api.ts';
import { bridgePost, postToShop } from '../../../../support/infra/adapters/network/web/bridge.ts';
import { cloudPost, cloudText } from '../../../../support/network.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { conversationOf, historyOf } from '../../../infra/adapters/network/web/reading.ts';

type Payload = Readonly<Record<string, unknown>>;

const stack = useStack();
const { org } = useOrganizations(stack, { org: {} });

function seconds(): number {
  return Math.floor(Date.now() / 1_000);
}

async function told(event: string, payload: Payload): Promise<void> {
  const { status, text } = await postToShop(stack, org, bridgePost(org, event, payload));
  assert.equal(status, 200, text);
}

async function toldByCloud(...messages: Payload[]): Promise<void> {
  const post = cloudPost(org.appSecret, org.phoneNumberId, { messages });
  const path = `/networks/cloud/${org.main}`;
  assertStatus(await stack.request('POST', path, { ...post }), 200);
}

async function shown(phone: string) {
  const [message, ...others] = await historyOf(stack, org, phone);
  assert.ok(message && others.length === 0, 'there is one message');
  const { conversation } = await conversationOf(stack, org, phone);
  return { message, conversation };
}

describe('on web', () => {
  test('one message of two chat forms is one, with the canonical id', async () => {
    const phone = freshPhone();
    const written = { fromMe: false, body: 'uma vez', timestamp: seconds() };
    const forms = [`${phone}@c.us`, '77012@lid'].map((from) =>
      told('message', { ...written, id: `false_${from}_3EB0FORMS1`, from }),
    );
    await Promise.all(forms);
    const { data } = await stack.conversations(org.key, '?limit=200');
    const ids = data.map(({ id }) => id);
    const histories = await Promise.all(ids.map((id) => stack.history(org.key, id)));
    const all = histories.flat().filter(({ externalId }) => externalId === '3EB0FORMS1');
    assert.equal(all.length, 1);
  });

  test('an edit and a deletion change the message that was written', async () => {
    const phone = freshPhone();
    const from = `${phone}@c.us`;
    const said = { from, fromMe: false, timestamp: seconds() };
    await told('message', { ...said, id: `false_${from}_3EB0ED01`, body: 'errada' });
    await told('message.edited', {
      ...{ ...said, id: `false_${from}_3EB0ED02` },
      ...{ editedMessageId: '3EB0ED01', body: 'certa' },
    });
    const edited = await shown(phone);
    assert.deepEqual([edited.message.text, edited.message.externalId], ['certa', '3EB0ED01']);
    assert.ok(edited.message.editedAt);
    assert.equal(edited.conversation.lastMessagePreview, 'certa');
    assert.equal(edited.conversation.unread, 1);
    await told('message.revoked', {
      after: { ...said, id: `false_${from}_3EB0ED03` },
      ...{ revokedMessageId: '3EB0ED01', before: null },
    });
    const { message, conversation } = await shown(phone);
    assert.equal(message.text, null);
    assert.ok(message.deletedAt);
    assert.equal(conversation.lastMessagePreview, '[deleted]');
  });
});

describe('on cloud', () => {
  test('an edit and a deletion change the message that was written', async () => {
    const phone = freshPhone();
    const original = `wamid.edit-${phone}`;
    const change = { from: phone, timestamp: String(seconds()) };
    await toldByCloud(cloudText(phone, original, 'errada'));
    const edit = {
      original_message_id: original,
      message: { context: { id: 'M0' }, type: 'text', text: { body: 'certa' } },
    };
    await toldByCloud({ ...change, id: `wamid.e1-${phone}`, type: 'edit', edit });
    const edited = await shown(phone);
    assert.equal(edited.message.text, 'certa');
    assert.ok(edited.message.editedAt);
    assert.equal(edited.conversation.lastMessagePreview, 'certa');
    const revoke = { original_message_id: original };
    await toldByCloud({ ...change, id: `wamid.e2-${phone}`, type: 'revoke', revoke });
    const { message } = await shown(phone);
    assert.equal(message.text, null);
    assert.ok(message.deletedAt);
  });

  test('an edit that comes before its message is shown with it', async () => {
    const phone = freshPhone();
    const original = `wamid.early-${phone}`;
    const message = { type: 'text', text: { body: 'certa' } };
    await toldByCloud({
      ...{ from: phone, timestamp: String(seconds()), id: `wamid.e3-${phone}`, type: 'edit' },
      edit: { original_message_id: original, message },
    });
    assert.equal(await stack.contact(org.key, phone), null);
    await toldByCloud(cloudText(phone, original, 'errada'));
    assert.equal((await shown(phone)).message.text, 'certa');
  });

  test('an advertisement stands beside what the contact wrote, not in it', async () => {
    const phone = freshPhone();
    const referral = {
      ...{ source_url: 'https://ads.example/inverno', source_id: '120900', source_type: 'ad' },
      ...{ headline: 'Aquecedores em oferta', body: 'Só esta semana', ctwa_clid: 'AfD1' },
    };
    await toldByCloud({ ...cloudText(phone, `wamid.ad-${phone}`, 'Quanto custa?'), referral });
    const { message } = await shown(phone);
    assert.equal(message.text, 'Quanto custa?');
    const lines = ['Aquecedores em oferta', 'Só esta semana', 'https://ads.example/inverno'];
    assert.equal(message.referral, lines.join('\n'));
  });
});
