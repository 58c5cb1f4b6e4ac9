/** The templates with which each simulated account begins, in the states that a shop knows. */
import type { TemplateComponent } from './components.ts';
import type { TemplateDraft } from './types.ts';

const HANDLE = 'https://scontent.whatsapp.net/v/t61/example';

const pt = {
  language: 'pt_BR',
  parameterFormat: 'POSITIONAL',
  status: 'APPROVED',
  quality: 'UNKNOWN',
  rejectedReason: 'NONE',
} as const;

const quickReplies = (...texts: readonly string[]): TemplateComponent => ({
  type: 'BUTTONS',
  buttons: texts.map((text) => ({ type: 'QUICK_REPLY', text })),
});
const body = (text: string, ...examples: readonly string[]): TemplateComponent => ({
  type: 'BODY',
  text,
  ...(examples.length === 0 ? {} : { example: { body_text: [[...examples]] } }),
});

export const SEEDS: readonly TemplateDraft[] = [
  {
    ...pt,
    name: 'hello_world',
    language: 'en_US',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      body('Welcome and congratulations! This message demonstrates a template of this account.'),
      { type: 'FOOTER', text: 'WhatsApp Business Platform sample message' },
    ],
  },
  {
    ...pt,
    name: 'pedido_enviado',
    category: 'UTILITY',
    quality: 'GREEN',
    components: [
      {
        type: 'HEADER',
        format: 'TEXT',
        text: 'Pedido {{1}}',
        example: { header_text: ['77'] },
      },
      body('Olá, {{1}}! Seu pedido saiu para entrega e chega {{2}}.', 'Ana', 'amanhã'),
      { type: 'FOOTER', text: 'Loja Exemplo' },
      quickReplies('Acompanhar', 'Falar com a loja'),
    ],
  },
  {
    ...pt,
    name: 'lembrete_consulta',
    category: 'UTILITY',
    quality: 'GREEN',
    parameterFormat: 'NAMED',
    components: [
      {
        type: 'BODY',
        text: 'Olá, {{nome}}! Sua consulta é no dia {{data}} às {{hora}}. Você confirma?',
        example: {
          body_text_named_params: [
            { param_name: 'nome', example: 'Ana' },
            { param_name: 'data', example: '12/03' },
            { param_name: 'hora', example: '14:30' },
          ],
        },
      },
      quickReplies('Confirmar', 'Remarcar'),
    ],
  },
  {
    ...pt,
    name: 'promocao_semana',
    category: 'MARKETING',
    quality: 'YELLOW',
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: [`${HANDLE}.jpeg`] } },
      body('{{1}}, esta semana tudo da vitrine tem 20% de desconto.', 'Ana'),
      { type: 'FOOTER', text: 'Não quer mais receber? Toque abaixo.' },
      quickReplies('Parar promoções'),
    ],
  },
  {
    ...pt,
    name: 'boleto_disponivel',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'DOCUMENT', example: { header_handle: [`${HANDLE}.pdf`] } },
      body('Olá, {{1}}! Seu boleto de {{2}} está disponível.', 'Ana', 'R$ 90,00'),
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            text: 'Abrir boleto',
            url: 'https://example.com/boleto/{{1}}',
            example: ['https://example.com/boleto/77'],
          },
          { type: 'PHONE_NUMBER', text: 'Ligar', phone_number: '+551140001000' },
        ],
      },
    ],
  },
  {
    ...pt,
    name: 'cupom_retorno',
    category: 'MARKETING',
    status: 'PAUSED',
    quality: 'RED',
    components: [
      body('Sentimos sua falta, {{1}}! Use o cupom abaixo na próxima compra.', 'Ana'),
      { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', example: ['VOLTE10'] }] },
    ],
  },
  {
    ...pt,
    name: 'oferta_relampago',
    category: 'MARKETING',
    status: 'REJECTED',
    rejectedReason: 'INVALID_FORMAT',
    components: [body('Só hoje: tudo pela metade do preço.')],
  },
  {
    ...pt,
    name: 'pesquisa_satisfacao',
    category: 'MARKETING',
    status: 'PENDING',
    components: [body('Olá, {{1}}! Como foi o seu atendimento?', 'Ana')],
  },
];
