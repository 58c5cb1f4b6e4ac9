/** GET /api/v1/templates (D286). */

import {
  ListTemplatesAnswer,
  ListTemplatesQuery,
  type Template,
} from '../../shared/api/template.ts';
import type { ListTemplates } from '../../shared/wire/queries.ts';
import { apiRoute, channelInScope, type Route } from '../route.ts';
import { PAGE_OF_ONE } from './examples.ts';

const TEMPLATE: Template = {
  id: 'tpl_9Ht2Jk4Lm6Np8Qr0St1Uv3',
  name: 'pedido_enviado',
  language: 'pt_BR',
  category: 'UTILITY',
  status: 'APPROVED',
  quality: 'GREEN',
  parameters: {
    header: null,
    body: [
      { name: '1', example: 'Ana' },
      { name: '2', example: '77' },
    ],
    buttons: [
      {
        index: 0,
        type: 'url',
        title: 'Acompanhar',
        example: 'https://example.com/pedido/77',
        required: true,
      },
    ],
  },
  components: [
    {
      type: 'BODY',
      text: 'Oi {{1}}, seu pedido {{2}} saiu para entrega.',
      example: { body_text: [['Ana', '77']] },
    },
    {
      type: 'BUTTONS',
      buttons: [
        {
          type: 'URL',
          text: 'Acompanhar',
          url: 'https://example.com/pedido/{{1}}',
          example: ['https://example.com/pedido/77'],
        },
      ],
    },
  ],
};

export const TEMPLATE_ROUTES: readonly Route[] = [
  apiRoute({
    method: 'GET',
    path: '/api/v1/templates',
    operationId: 'listTemplates',
    summary:
      'Lista os modelos de mensagem em ordem alfabética; uma chave de canal vê os da sua conta.',
    description:
      'São da conta (`businessAccountId`) do canal e seguem a rede: mudanças chegam em instantes. ' +
      'A ordem é nome, idioma e id. `category`, `status` e `quality` são as palavras da rede, e só ' +
      'um modelo `APPROVED` é enviado. `parameters` diz o que um envio informa; `components` é a ' +
      'forma da própria rede.',
    tag: 'Modelos',
    query: ListTemplatesQuery,
    fieldDescriptions: {
      query: 'Procura em nome e corpo, sem distinguir maiúsculas nem acentos.',
      status: 'Apenas neste estado, com a palavra da rede: `APPROVED`, `PAUSED`.',
    },
    answers: {
      200: {
        description: 'Uma página de modelos; `reason` diz por que não há nenhum.',
        schema: ListTemplatesAnswer,
        example: { data: [TEMPLATE], ...PAGE_OF_ONE, reason: null },
      },
    },
    refusals: [403, 404],
    plan({ caller, query }) {
      const { page, limit, status } = query;
      const named = query.channelId ?? caller.channelId;
      const scoped = named === null ? null : channelInScope(caller, named);
      if (scoped && 'refusal' in scoped) return { to: 'caller', refusal: scoped.refusal };
      const payload: ListTemplates = {
        orgId: caller.orgId,
        page,
        limit,
        ...(named === null ? {} : { channelId: named }),
        ...(status === undefined ? {} : { status }),
        ...(query.query === undefined ? {} : { query: query.query }),
      };
      return { to: 'query', resource: 'templates', payload };
    },
  }),
];
