/** The demo's shop as the pictures show it: its people, contacts and automation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { parse } from 'yaml';
import { ROOT } from '../source.ts';

export const ORGANIZATION = 'demo';
export const KEY = 'rcd_shots_account_0123456789abcdef';
export const SHOP_KEY = 'rcd_shots_channel_0123456789abcdef';

const MEMBERS = [
  { ref: 'ana', name: 'Ana Souza', email: 'ana@demo.example', role: 'admin' },
  { ref: 'bruno', name: 'Bruno Lima', email: 'bruno@demo.example', role: 'attendant' },
  { ref: 'carla', name: 'Carla Reis', email: 'carla@demo.example', role: 'attendant' },
];
export type MemberRef = 'ana' | 'bruno' | 'carla';

interface ShopContact {
  readonly phone: string;
  readonly name: string;
  readonly channel: 'main' | 'shop';
  readonly email?: string;
  readonly tags?: readonly string[];
  readonly fields?: Readonly<Record<string, string>>;
}

export const CONTACTS = {
  marina: {
    ...{ phone: '5519987650101', name: 'Marina Costa', channel: 'main' },
    email: 'marina@exemplo.com.br',
    tags: ['cliente', 'campinas'],
    fields: { cidade: 'Campinas', 'última compra': 'Estante Ipê' },
  },
  rafael: {
    ...{ phone: '5511987650102', name: 'Rafael Menezes', channel: 'main' },
    tags: ['pós-venda'],
  },
  juliana: { phone: '5521987650103', name: 'Juliana Prado', channel: 'main' },
  tavares: {
    ...{ phone: '5511987650104', name: 'Escritório Tavares & Melo', channel: 'shop' },
    email: 'compras@tavaresmelo.exemplo.com.br',
    tags: ['empresa'],
    fields: { contato: 'Helena Tavares' },
  },
  thiago: { phone: '5531987650105', name: 'Thiago Barbosa', channel: 'main' },
  larissa: {
    ...{ phone: '5541987650106', name: 'Larissa Nogueira', channel: 'shop' },
    tags: ['arquiteta', 'parceira'],
  },
  pedro: { phone: '5511987650107', name: 'Pedro Alves', channel: 'main', tags: ['cliente'] },
  lucia: { phone: '5511987650108', name: 'Lúcia Andrade', channel: 'main', tags: ['cliente'] },
  sofia: { phone: '5548987650109', name: 'Sofia Martins', channel: 'main' },
  jardim: {
    ...{ phone: '5511987650110', name: 'Condomínio Jardim das Flores', channel: 'shop' },
    tags: ['empresa'],
  },
} as const satisfies Readonly<Record<string, ShopContact>>;
export type ContactRef = keyof typeof CONTACTS;

const ORDER_FLOW = {
  ...{ ref: 'order', name: 'Acompanhar pedido', enabled: true, channel: 'main' },
  triggers: [{ on: 'keyword', keyword: 'acompanhar', match: 'contains' }],
  steps: [
    {
      ...{ id: 'saudacao', do: 'send', next: 'opcao' },
      text: 'Olá, {{contact.name}}! Responda 1 para saber o prazo ou 2 para pedir uma troca.',
    },
    {
      ...{ id: 'opcao', do: 'wait', timeout: '2h', saveAs: 'option' },
      ...{ next: 'escolha', onTimeout: 'lembrete' },
    },
    {
      ...{ id: 'escolha', do: 'choose', else: 'saudacao' },
      cases: [
        { when: { answer: 'option', in: ['1', 'prazo'] }, next: 'numero' },
        { when: { answer: 'option', in: ['2', 'troca'] }, next: 'equipe' },
      ],
    },
    { id: 'numero', do: 'send', text: 'Qual é o número do pedido?', next: 'pedido' },
    { id: 'pedido', do: 'wait', saveAs: 'order', next: 'resposta' },
    {
      ...{ id: 'resposta', do: 'send', next: 'fim' },
      text: 'O pedido {{answers.order}} chega em até 5 dias úteis. Obrigado!',
    },
    { id: 'equipe', do: 'handoff', member: 'bruno', note: 'Troca pedida pelo fluxo.' },
    {
      ...{ id: 'lembrete', do: 'send', next: 'fim' },
      text: 'Quando quiser continuar, é só escrever “acompanhar”.',
    },
    { id: 'fim', do: 'end' },
  ],
};

const OTHER_FLOWS = [
  {
    ...{ ref: 'welcome', name: 'Boas-vindas', enabled: true, channel: null },
    triggers: [{ on: 'tag', tag: 'newsletter' }],
    steps: [
      { id: 'ola', do: 'send', text: 'Bem-vindo à Loja Demo, {{contact.name}}!', next: 'fim' },
      { id: 'fim', do: 'end' },
    ],
  },
  {
    ...{ ref: 'survey', name: 'Pesquisa de satisfação', enabled: false, channel: null },
    triggers: [],
    steps: [
      { id: 'nota', do: 'send', text: 'De 0 a 10, como foi o atendimento?', next: 'fim' },
      { id: 'fim', do: 'end' },
    ],
  },
];

const TemplateSchema = v.object({
  orgs: v.tuple([
    v.looseObject({
      ref: v.literal(ORGANIZATION),
      members: v.array(v.unknown()),
      channels: v.tuple([
        v.looseObject({ network: v.looseObject({}) }),
        v.looseObject({ network: v.looseObject({}) }),
      ]),
    }),
  ]),
});

/** The demo of the first start, with the story's people, flows and subscriptions. */
export function shopFile(subscriberUrl: string): unknown {
  const path = join(ROOT, 'infra/programs/service/supervisor/demo/demo.yaml');
  const [organization] = v.parse(TemplateSchema, parse(readFileSync(path, 'utf8'))).orgs;
  const [cloud, web] = organization.channels;
  const meta = { accessToken: 'shots-access', appSecret: 'shots-app', verifyToken: 'shots-verify' };
  const bridge = { session: 'shots', apiKey: 'shots-api', webhookSecret: 'shots-webhook' };
  return {
    orgs: [
      {
        ...organization,
        limits: { perKey: 1_000_000, perOrg: 1_000_000 },
        members: [...organization.members, ...MEMBERS],
        channels: [
          { ...cloud, network: { ...cloud.network, ...meta } },
          { ...web, network: { ...web.network, ...bridge } },
        ],
        keys: [
          { ref: 'account', name: 'ERP', scope: 'account', token: KEY },
          { ref: 'site', name: 'Site da loja', scope: 'channel', channel: 'shop', token: SHOP_KEY },
        ],
        tags: ['newsletter'],
        flows: [ORDER_FLOW, ...OTHER_FLOWS],
        subscriptions: [
          {
            ...{ ref: 'erp', url: `${subscriberUrl}/recado/mensagens` },
            events: ['message.received', 'message.sent'],
          },
          {
            ...{ ref: 'sales', url: `${subscriberUrl}/recado/vendas` },
            events: ['deal.created', 'deal.stage_changed', 'deal.won', 'deal.lost'],
          },
        ],
      },
    ],
  };
}
