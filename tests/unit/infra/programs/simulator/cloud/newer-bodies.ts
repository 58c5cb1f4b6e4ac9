/** Acts that bring about the simulated Cloud API's bodies of templates, choices and calls. */
import type { JsonRecord } from '../../../../../../infra/adapters/network/webhook-body.ts';
import type { SimulatorFixture } from '../fixture.ts';

const FROM = '5521987650001';
const WHERE = { phoneNumberId: '1001', from: FROM, name: 'Dora Lima' };
const ORDER = { phoneNumberId: '1001', name: 'pedido_enviado', language: 'pt_BR' };
const INFO = { reason: 'r', recommendation: 'r' };
const COMPONENTS = [
  { type: 'HEADER', format: 'TEXT', text: 'a' },
  { type: 'BODY', text: 'b' },
  { type: 'FOOTER', text: 'c' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'PHONE_NUMBER', text: 'd', phone_number: '+551140001000' },
      { type: 'URL', text: 'e', url: 'https://example.com/' },
    ],
  },
];

/** The field of each file of a template's webhook, and the change that brings it about. */
const STATUS = 'message_template_status_update';
const REJECTED = { status: 'REJECTED', reason: 'INVALID_FORMAT', rejectionInfo: INFO };
const CHANGES: ReadonlyMap<string, readonly [field: string, change: JsonRecord]> = new Map([
  ['template-approved', [STATUS, { name: 'pesquisa_satisfacao', status: 'APPROVED' }]],
  ['template-rejected', [STATUS, REJECTED]],
  ['template-disabled', [STATUS, { status: 'DISABLED' }]],
  ['template-quality', ['message_template_quality_update', { quality: 'RED' }]],
  ['template-category', ['template_category_update', { category: 'MARKETING' }]],
  ['template-components', ['message_template_components_update', { components: COMPONENTS }]],
]);

/** A message with something to choose, and the choice. */
const interactive = (type: string, action: object) => {
  return { type: 'interactive', interactive: { type, body: { text: 'a' }, action } };
};
const BUTTON = { type: 'reply', reply: { id: 'sim', title: 'Sim' } };
const ROW = { id: 'a', title: 'b', description: 'c' };
const IMAGE = { type: 'image', image: { link: 'https://example.com/a' } };
const PROMOTION = {
  ...{ name: 'promocao_semana', language: { code: 'pt_BR' } },
  components: [
    { type: 'header', parameters: [IMAGE] },
    { type: 'body', parameters: [{ type: 'text', text: 'Ana' }] },
  ],
};
const LIST = interactive('list', { button: 'b', sections: [{ rows: [ROW] }] });
const CHOICES: ReadonlyMap<string, readonly [message: JsonRecord, reply: JsonRecord]> = new Map([
  ['reply-button', [interactive('button', { buttons: [BUTTON] }), { id: 'sim' }]],
  ['reply-row', [LIST, { id: 'a' }]],
  ['reply-template', [{ type: 'template', template: PROMOTION }, { title: 'Parar promoções' }]],
]);

async function chosen(
  simulator: SimulatorFixture,
  [message, reply]: readonly [JsonRecord, JsonRecord],
): Promise<unknown> {
  const common = { messaging_product: 'whatsapp', to: FROM };
  const { body } = await simulator.graph('POST', '/1001/messages', { ...common, ...message });
  const [{ id: to }] = Object(body).messages;
  await simulator.control('/inbound', { ...WHERE, reply: { to, ...reply } });
  return simulator.hooks('messages')[0];
}

async function ofTemplates(simulator: SimulatorFixture, what: string): Promise<unknown> {
  const path = '/waba-1001/message_templates';
  if (what === 'templates') {
    return (await simulator.graph('GET', `${path}?name=pedido_enviado`)).body;
  }
  if (what === 'template-made') {
    const components = [{ type: 'BODY', text: 'a' }];
    const draft = { name: 'a', language: 'pt_BR', category: 'MARKETING', components };
    return (await simulator.graph('POST', path, draft)).body;
  }
  const { body } = await simulator.graph('GET', `${path}?name=pedido_enviado`);
  const { id } = Object(body).data[0];
  return (await simulator.graph('GET', `/${id}?fields=quality_score,status`)).body;
}

/** The body of a payload file's name; undefined where it is none of these. */
export async function bringNewer(simulator: SimulatorFixture, what: string): Promise<unknown> {
  const choice = CHOICES.get(what);
  if (choice !== undefined) return chosen(simulator, choice);
  const change = CHANGES.get(what);
  if (change !== undefined) {
    await simulator.control('/templates', { ...ORDER, ...change[1] });
    return simulator.hooks(change[0])[0];
  }
  if (what === 'call') {
    await simulator.control('/inbound', { ...WHERE, call: {} });
    return simulator.hooks('calls')[0];
  }
  const isOfTemplates = ['templates', 'template-made', 'template-quality-score'].includes(what);
  return isOfTemplates ? ofTemplates(simulator, what) : undefined;
}
