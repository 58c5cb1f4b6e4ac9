/** Portuguese texts of the fields of messages' content, in requests and in answers. */

/** Of requests: by `operationId.field`, else by the field's name. */
export const CONTENT_REQUEST_FIELDS: Readonly<Record<string, string>> = {
  template:
    'Um modelo aprovado da conta comercial, com as suas variáveis; só em `cloud`. Vai sozinho.',
  fallbackTemplate:
    'Modelo enviado uma vez no lugar da mensagem onde a janela de 24 horas está fechada.',
  'sendMessage.name': 'Nome do modelo, do lugar ou do cartão.',
  language: 'Código do idioma na rede, como `pt_BR`.',
  header: 'Cabeçalho: num modelo, o texto da variável ou o arquivo; numa interativa, um texto.',
  body: 'Variáveis do corpo: lista, por posição, ou objeto, por nome.',
  'sendMessage.buttons': 'Botões: valores dos de um modelo, ou os de resposta de uma interativa.',
  index: 'Posição do botão no modelo, a partir de 0.',
  value: 'Valor da variável do botão.',
  interactive: 'Botões de resposta, lista ou botão de link; só em `cloud`. Vai sozinha.',
  footer: 'Rodapé.',
  button: 'Título do botão que abre a lista.',
  sections: 'Seções da lista; até 10 linhas ao todo.',
  rows: 'Linhas da seção.',
  description: 'Linha de apoio.',
  'sendMessage.id': 'Volta com a escolha do contato.',
  url: 'Endereço que o botão abre.',
  reaction: 'Reação a uma mensagem desta conversa. Vai sozinha.',
  'sendMessage.messageId': 'Mensagem desta conversa que a rede conhece.',
  emoji: 'Um emoji; vazio retira a reação.',
  location: 'Um lugar. Vai sozinho.',
  latitude: 'Graus, de -90 a 90.',
  longitude: 'Graus, de -180 a 180.',
  address: 'Endereço do lugar.',
  contacts: 'Cartões de contato. Vão sozinhos.',
  phones: 'Telefones do cartão, como devem aparecer.',
  'sendMessage.email': 'E-mail do cartão.',
  organization: 'Empresa do cartão.',
  replyToId: 'Mensagem desta conversa que esta cita.',
  outsideWindow: '`refuse` responde 409 com a janela de 24 horas fechada; `send` deixa com a rede.',
  sendAt: 'Momento do envio, até 90 dias à frente.',
  ifLate: 'Se o serviço se atrasar mais de uma hora: `send` envia, `expire` desiste.',
};

/** Of answers and events: by `Component.field`, else by the field's name. */
export const CONTENT_ANSWER_FIELDS: Readonly<Record<string, string>> = {
  windowExpiresAt:
    'Fim da janela de 24 horas, pelo relógio da rede; nulo em `web` e antes da primeira.',
  template: 'O modelo enviado; o texto dele está em `text`.',
  interactive: 'A mensagem com botões, ou a escolha do contato: `button` ou `row`, `id`, `title`.',
  reaction: 'A mensagem e o emoji, vazio quando retirada.',
  location: 'O lugar.',
  contacts: 'Os cartões de contato.',
  replacesId: 'A mensagem recusada pela janela, no lugar da qual este modelo foi enviado.',
  scheduledAt: 'Para quando foi agendada.',
};
