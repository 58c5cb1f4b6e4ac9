/** Templates in the network's own form. */
import type { FoundTemplate } from '../../../../actors/domain/template.ts';
import type { NetworkTemplate } from '../../../../shared/ports/network.ts';

type Component = NetworkTemplate['components'][number];

/** An approved template of these components. */
export function template(
  components: readonly Component[],
  changes: Partial<NetworkTemplate> = {},
): NetworkTemplate {
  return {
    networkId: '1',
    name: 'pedido',
    language: 'pt_BR',
    category: 'UTILITY',
    status: 'APPROVED',
    quality: null,
    named: false,
    components,
    ...changes,
  };
}

export function found(
  components: readonly Component[],
  changes: Partial<NetworkTemplate> = {},
): FoundTemplate {
  return { found: true, template: template(components, changes) };
}

export const BODY: Component = {
  type: 'BODY',
  text: 'Oi {{1}}, seu pedido {{2}} saiu.',
  example: { body_text: [['Ana', '77']] },
};

export const NAMED_BODY: Component = {
  type: 'BODY',
  text: 'Oi {{nome}}, até {{data}}.',
  example: {
    body_text_named_params: [
      { param_name: 'nome', example: 'Ana' },
      { param_name: 'data', example: '3 de maio' },
    ],
  },
};

export const URL_BUTTON = {
  ...{ type: 'URL', text: 'Ver', url: 'https://x.example/{{1}}' },
  example: ['https://x.example/7'],
};

const HANDLE = { header_handle: ['https://y.example/a'] };
export const IMAGE = { type: 'HEADER', format: 'IMAGE', example: HANDLE };

export const ONE_TIME_CODE: readonly Component[] = [
  {
    type: 'BODY',
    text: '*{{1}}* é seu código de verificação.',
    add_security_recommendation: false,
    example: { body_text: [['123456']] },
  },
  { type: 'FOOTER', text: 'O código expira em 5 minutos.', code_expiration_minutes: 5 },
  {
    type: 'BUTTONS',
    buttons: [
      {
        type: 'URL',
        text: 'Copiar código',
        url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
        example: ['https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp123456'],
      },
    ],
  },
];
