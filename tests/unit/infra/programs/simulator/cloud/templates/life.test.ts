/** The life of a template of the simulated Graph: made, reviewed, edited, paused, deleted. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { afterEach, describe, it } from 'node:test';
import { recordAt } from '../../../../../../../infra/adapters/network/webhook-body.ts';
import { CLOUD_NETWORK } from '../../../../../../support/infra/adapters/network/network-fixture.ts';
import { simulatorOf } from '../../fixture.ts';

const ACCOUNT = '880077';
const BODY = { type: 'BODY', text: 'Oi {{1}}', example: { body_text: [['Ana']] } };
const DRAFT = { name: 'boas_vindas', language: 'pt_BR', category: 'UTILITY', components: [BODY] };
const PATH = `/${ACCOUNT}/message_templates`;
const ABOUT = { businessAccountId: ACCOUNT, name: DRAFT.name, language: DRAFT.language };
const REJECTION = { reason: 'a', recommendation: 'b' };
const PAUSE = { title: 'FIRST_PAUSE', description: 'd' };

const url = (address: string, more: object = {}) => ({
  type: 'BUTTONS',
  buttons: [{ type: 'URL', text: 'a', url: address, ...more }],
});
const quick = (count: number, text = 'a') => ({
  type: 'BUTTONS',
  buttons: Array.from({ length: count }, () => ({ type: 'QUICK_REPLY', text })),
});
const header = (text: string, more: object = {}) => ({
  ...{ type: 'header', format: 'text', text },
  ...more,
});

/** A change of a fit draft, and whether it still is fit. */
const DRAFTS: readonly (readonly [object, boolean])[] = [
  [{ name: 'Boas Vindas' }, false],
  [{ language: 'portuguese' }, false],
  [{ category: 'OTHER' }, false],
  [{ components: [] }, false],
  [{ components: [BODY, BODY] }, false],
  [{ colour: 'red' }, false],
  [{ components: [{ ...BODY, text: 'x'.repeat(1_025), example: undefined }] }, false],
  [{ components: [{ type: 'BODY', text: 'x'.repeat(1_024) }] }, true],
  [{ components: [{ type: 'BODY', text: 'Oi {{1}}' }] }, false],
  [{ components: [{ ...BODY, text: 'Oi {{2}}' }] }, false],
  [{ components: [{ ...BODY, text: 'Oi {{nome}}' }] }, false],
  [{ components: [BODY, header('x'.repeat(61))] }, false],
  [{ components: [BODY, header('x'.repeat(60))] }, true],
  [{ components: [BODY, header('{{1}} {{2}}', { example: { header_text: ['a', 'b'] } })] }, false],
  [{ components: [BODY, { type: 'FOOTER', text: 'x'.repeat(61) }] }, false],
  [{ components: [BODY, { type: 'HEADER', format: 'IMAGE' }] }, false],
  [{ components: [BODY, quick(11)] }, false],
  [{ components: [BODY, quick(10)] }, true],
  [{ components: [BODY, quick(1, 'x'.repeat(26))] }, false],
  [{ components: [BODY, quick(1, 'x'.repeat(25))] }, true],
  [{ components: [BODY, url('https://a.b/{{1}}')] }, false],
  [{ components: [BODY, url('https://a.b/{{1}}/c', { example: ['d'] })] }, false],
  [{ components: [BODY, url('https://a.b/{{1}}', { example: ['d'] })] }, true],
];

describe('the life of a simulated template', () => {
  const simulator = simulatorOf('the suite', { businessAccountId: ACCOUNT });
  afterEach(() => simulator.forget());

  const review = (fields: object) => simulator.control('/templates', { ...ABOUT, ...fields });
  const create = async (more: object = {}) => {
    const { body } = await simulator.graph('POST', PATH, { ...DRAFT, ...more });
    return body;
  };
  const { errorOf } = simulator;
  const valuesOf = (field: string) => {
    for (const hook of simulator.hooks(field)) assert.equal(Object(hook.entry)[0].id, ACCOUNT);
    return simulator.valuesOf(field);
  };
  const about = (id: unknown) => ({
    ...{ message_template_id: Number(id), message_template_name: DRAFT.name },
    message_template_language: 'pt_BR',
  });

  it('is made once, and edited where its state lets it', async () => {
    const { id, ...made } = await create();
    assert.deepEqual(made, { status: 'PENDING', category: 'UTILITY' });
    assert.deepEqual(await errorOf('POST', PATH, DRAFT), [400, 100, 2388024]);
    const edit = { components: [{ ...BODY, text: 'Olá {{1}}!' }] };
    assert.deepEqual(await errorOf('POST', `/${id}`, edit), [400, 100, undefined]);
    await review({ status: 'APPROVED' });
    const other = { category: 'MARKETING' };
    assert.deepEqual(await errorOf('POST', `/${id}`, other), [400, 100, undefined]);
    const edited = await simulator.graph('POST', `/${id}`, edit);
    const expected = { success: true, id, name: DRAFT.name, category: 'UTILITY' };
    assert.deepEqual(edited.body, expected);
    const { body } = await simulator.graph('GET', `/${id}?fields=status`);
    assert.deepEqual(body, { status: 'PENDING', id });
    await simulator.awaitHooks('message_template_components_update');
    const [told] = valuesOf('message_template_components_update');
    assert.deepEqual(told, { ...about(id), message_template_element: 'Olá {{1}}!' });
  });

  it('each change is a signed webhook of its field', async () => {
    const { id } = await create();
    await review({ status: 'REJECTED', reason: 'INVALID_FORMAT', rejectionInfo: REJECTION });
    await review({ status: 'APPROVED', quality: 'GREEN' });
    await review({ category: 'MARKETING', quality: 'RED' });
    await review({ status: 'PAUSED', otherInfo: PAUSE });
    await review({ status: 'DISABLED' });
    const asked = `/${id}?fields=status,category,previous_category`;
    const shown = { status: 'DISABLED', category: 'MARKETING', previous_category: 'UTILITY' };
    assert.deepEqual((await simulator.graph('GET', asked)).body, { ...shown, id });
    const named = `${PATH}?name=${DRAFT.name}`;
    assert.deepEqual((await simulator.graph('DELETE', named)).body, { success: true });
    assert.deepEqual(await errorOf('DELETE', named), [400, 100, 2593002]);
    await simulator.awaitHooks('message_template_status_update', 5);
    const common = about(id);
    const events = valuesOf('message_template_status_update').map((value) => {
      const { event, reason, message_template_category: category, ...others } = value;
      const { disable_info, other_info, rejection_info, ...template } = others;
      assert.deepEqual(template, common);
      return [event, reason, category, disable_info !== undefined, other_info ?? rejection_info];
    });
    assert.deepEqual(events, [
      ['REJECTED', 'INVALID_FORMAT', 'UTILITY', false, REJECTION],
      ['APPROVED', 'NONE', 'UTILITY', false, undefined],
      ['PAUSED', 'NONE', 'MARKETING', false, PAUSE],
      ['DISABLED', 'NONE', 'MARKETING', true, undefined],
      ['DELETED', 'NONE', 'MARKETING', false, undefined],
    ]);
    assert.deepEqual(valuesOf('message_template_quality_update'), [
      { ...common, previous_quality_score: 'UNKNOWN', new_quality_score: 'GREEN' },
      { ...common, previous_quality_score: 'GREEN', new_quality_score: 'RED' },
    ]);
    const category = { previous_category: 'UTILITY', new_category: 'MARKETING' };
    assert.deepEqual(valuesOf('template_category_update'), [{ ...common, ...category }]);
  });

  it('a webhook of a template is signed with the app secret over its raw bytes', async () => {
    await create();
    await review({ status: 'APPROVED' });
    const { request } = simulator.network.requests.at(-1) ?? assert.fail('no webhook came');
    const hmac = createHmac('sha256', CLOUD_NETWORK.appSecret).update(request.rawBody);
    assert.equal(request.headers['x-hub-signature-256'], `sha256=${hmac.digest('hex')}`);
  });

  it('takes a fit draft and refuses an unfit one', async () => {
    for (const [at, [more, isFit]] of DRAFTS.entries()) {
      const draft = { ...DRAFT, name: `draft_${at}`, ...more };
      const { status, body } = await simulator.graph('POST', PATH, draft);
      const { code } = recordAt(body, 'error');
      assert.deepEqual([status, code], isFit ? [200, undefined] : [400, 100], JSON.stringify(more));
    }
  });
});
