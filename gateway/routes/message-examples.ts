/** Bodies of `POST /api/v1/messages`, one for each content (the OpenAPI document). */
import { CHANNEL_ID, CONVERSATION_ID, MESSAGE_ID } from './examples.ts';

const TO = { channelId: CHANNEL_ID, phone: '+55 (11) 98888-7777' };
const IN = { channelId: CHANNEL_ID, conversationId: CONVERSATION_ID };

export const TEXT_EXAMPLE = { ...TO, text: 'Seu pedido saiu para entrega.' };

const TEMPLATE = {
  name: 'pedido_enviado',
  language: 'pt_BR',
  header: { text: '77' },
  body: ['Ana', '77'],
};

export const MESSAGE_EXAMPLES = {
  text: { summary: 'Texto', value: TEXT_EXAMPLE },
  media: {
    summary: 'Arquivo com legenda',
    value: { ...TO, mediaUrl: 'https://example.com/nota.pdf', caption: 'Sua nota fiscal.' },
  },
  quote: {
    summary: 'Resposta que cita uma mensagem',
    value: { ...IN, text: 'Claro, segue o endereço.', replyToId: MESSAGE_ID },
  },
  template: { summary: 'Modelo aprovado', value: { ...TO, template: TEMPLATE } },
  fallback: {
    summary: 'Texto, ou um modelo onde a janela está fechada',
    value: { ...TEXT_EXAMPLE, fallbackTemplate: TEMPLATE },
  },
  buttons: {
    summary: 'Botões de resposta',
    value: {
      ...TO,
      interactive: {
        type: 'buttons',
        text: 'Podemos entregar amanhã?',
        buttons: [
          { id: 'sim', title: 'Sim' },
          { id: 'nao', title: 'Outro dia' },
        ],
      },
    },
  },
  list: {
    summary: 'Lista',
    value: {
      ...TO,
      interactive: {
        type: 'list',
        text: 'Qual assunto?',
        button: 'Ver assuntos',
        sections: [{ rows: [{ id: 'entrega', title: 'Entrega', description: 'Prazo e rota' }] }],
      },
    },
  },
  url: {
    summary: 'Botão de link',
    value: {
      ...TO,
      interactive: {
        type: 'url',
        text: 'Acompanhe o seu pedido.',
        title: 'Acompanhar',
        url: 'https://example.com/pedidos/77',
      },
    },
  },
  reaction: {
    summary: 'Reação',
    value: { ...IN, reaction: { messageId: MESSAGE_ID, emoji: '👍' } },
  },
  location: {
    summary: 'Lugar',
    value: { ...TO, location: { latitude: -23.5613, longitude: -46.6565, name: 'Loja Paulista' } },
  },
  contacts: {
    summary: 'Cartão de contato',
    value: { ...TO, contacts: [{ name: 'Ana Souza', phones: ['+55 11 97777-6666'] }] },
  },
  scheduled: {
    summary: 'Agendada',
    value: { ...TEXT_EXAMPLE, sendAt: '2026-12-24T12:00:00.000Z', ifLate: 'expire' },
  },
  bulk: {
    summary: 'Envio em massa',
    value: { ...TEXT_EXAMPLE, priority: 'bulk' },
  },
};
