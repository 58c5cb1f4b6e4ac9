/** Meanings of the content of a flow's `send` step, other than text and a file. */
import type { ObjectDescription, PropertyDescription } from './descriptions.ts';

function content(
  heading: string,
  means: string,
  properties: ObjectDescription['properties'],
): ObjectDescription {
  return { heading, level: 3, means, merges: false, properties };
}

const OF_ONE = 'Texts are templates, and limits count what they render.';

export const Template = content(
  'Message templates',
  '`template` and `fallbackTemplate` of a `send` step: a message that the network has approved. ' +
    'Every value is a template of the flow.',
  {
    name: { means: "the template's name", example: 'pedido_enviado' },
    language: { means: "the network's code of its language", example: 'pt_BR' },
    header: {
      means: 'the variable of its header, or the file of the library that stands there',
      example: { text: '{{answers.pedido}}' },
      without: 'refused at its step where the template asks for one',
    },
    body: {
      means: 'the variables of its body, by position or by name',
      example: ['{{contact.name}}', '77'],
      without: 'refused at its step where the template has some',
    },
    buttons: {
      means: 'values of its buttons, which count from 0; of a quick reply its id',
      example: [{ index: 0, value: 'acompanhar' }],
      without: 'refused at its step where a button needs one',
    },
  },
);

const frame = {
  header: { means: 'a line above', example: 'Pedido 77', without: 'none' },
  footer: { means: 'a line below', example: 'Loja Exemplo', without: 'none' },
} satisfies Record<string, PropertyDescription>;

const text: PropertyDescription = { means: 'what is said', example: 'Confirma o pedido?' };
const type = (example: string): PropertyDescription => ({ means: 'its form', example });

export const Buttons = content(
  'Interactive `buttons`',
  `\`interactive\` of a \`send\` step: buttons that answer. ${OF_ONE}`,
  {
    type: type('buttons'),
    text,
    ...frame,
    buttons: {
      means: 'the buttons; the id reaches `chosen`, and the title is the text of the answer',
      example: [{ id: 'sim', title: 'Sim' }],
    },
  },
);

export const List = content(
  'Interactive `list`',
  `\`interactive\` of a \`send\` step: a list of rows that answer, 10 in all. ${OF_ONE}`,
  {
    type: type('list'),
    text,
    ...frame,
    button: { means: 'the title of the button that opens the list', example: 'Ver planos' },
    sections: {
      means: 'the rows, in sections; several sections have a title each',
      example: [{ rows: [{ id: 'ouro', title: 'Ouro', description: 'R$ 99' }] }],
    },
  },
);

export const Link = content(
  'Interactive `url`',
  `\`interactive\` of a \`send\` step: a button that opens a page. ${OF_ONE}`,
  {
    type: type('url'),
    text,
    ...frame,
    title: { means: 'the title of the button', example: 'Pagar' },
    url: { means: 'the page', example: 'https://example.com/pay/{{answers.pedido}}' },
  },
);

export const Reaction = content(
  'Reactions',
  "`reaction` of a `send` step, to the contact's last message.",
  { emoji: { means: 'the reaction; the empty text takes it back', example: '👍' } },
);

const degrees = (means: string, example: unknown): PropertyDescription => ({ means, example });

export const Place = content('Places', '`location` of a `send` step.', {
  latitude: degrees('degrees, as a number or a template', -23.56),
  longitude: degrees('degrees, as a number or a template', '{{answers.loja.longitude}}'),
  name: { means: 'its name', example: 'Loja Centro', without: 'none' },
  address: { means: 'its address', example: 'Av. Paulista, 1000', without: 'none' },
});

export const Card = content('Contact cards', 'An entry of `contacts` of a `send` step.', {
  name: { means: 'the name', example: 'Ana Souza' },
  phones: { means: 'the phones', example: ['+55 11 4000-1000'] },
  email: { means: 'the e-mail', example: 'ana@example.com', without: 'none' },
  organization: { means: 'the organization', example: '{{org.name}}', without: 'none' },
});
