/** Portuguese texts of the OpenAPI document beside the summaries: tags, operations, fields. */
import type { JsonObject } from './json-schema.ts';
import { CONTENT_ANSWER_FIELDS, CONTENT_REQUEST_FIELDS } from './openapi-message-fields.ts';

export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Chave: 'A chave usada e o que ela alcança.',
  Canais: 'Os números conectados da organização.',
  Modelos: 'Mensagens aprovadas pela rede oficial, da conta de cada canal.',
  Contatos: 'As pessoas; pertencem à organização, não a um canal.',
  Conversas: 'Uma conversa por canal e contato.',
  Mensagens: 'O histórico das conversas e o envio.',
  Fluxos: 'Automações que conduzem uma conversa.',
  Negócios: 'Funis, etapas e negócios da organização.',
  Tarefas: 'Tarefas da equipe, com lembrete por e-mail.',
  'Webhook de entrada': 'Contato, mensagem e fluxo numa única chamada, por canal.',
  Redes: 'Endereços que as redes de mensagens chamam; não são para clientes da API.',
  Descrição: 'Esta descrição, para máquinas e para pessoas.',
  Saúde: 'Estado do processo e do serviço, para quem opera.',
  Eventos: 'O que o serviço conta, por POST assinado.',
  'Streams de eventos': 'Os mesmos eventos numa conexão que o cliente abre, sem endereço público.',
};

const LIST = 'A ordem é fixa. `total` conta todos os itens do filtro, não só os da página.';
const OPTED_OUT =
  'Para um contato que pediu para sair também é aceita e enviada: confira `optIn` antes de ' +
  'mensagens que ele não espera.';
const ONCE = 'Com `Idempotency-Key`, repetir a mesma chamada em 24 horas não a executa de novo.';

/** By operationId. */
export const OPERATION_DESCRIPTIONS: Readonly<Record<string, string>> = {
  getMe: 'Uma chave de conta alcança todos os canais; uma chave de canal, apenas o seu.',
  listChannels: '`reason` traz o motivo, em português, quando o canal não pode enviar agora.',
  listTemplates:
    'São da conta (`businessAccountId`) do canal e seguem a rede: mudanças chegam em instantes. ' +
    'A ordem é nome, idioma e id. `category`, `status` e `quality` são as palavras da rede, e só ' +
    'um modelo `APPROVED` é enviado. `parameters` diz o que um envio informa; `components` é a ' +
    'forma da própria rede.',
  listContacts: `Uma chave de canal vê todos os contatos da organização. ${LIST}`,
  upsertContact:
    'O telefone é a chave do contato: repetir a chamada atualiza e não duplica. `fields` e ' +
    '`tags` se somam aos existentes; aplicar uma etiqueta pode iniciar um fluxo.',
  listConversations: `Uma chave de canal vê apenas as conversas do seu canal. ${LIST}`,
  listMessages:
    'Notas internas só aparecem com `includeNotes=true`. Com `status=scheduled`, só as mensagens ' +
    `agendadas, da próxima à última. ${LIST}`,
  getMedia: 'É o endereço em `media.url`. Uma chave de canal alcança apenas os do seu canal.',
  sendMessage:
    'Informe `phone` ou `conversationId`, e `text`, `mediaUrl`, `mediaId`, ou um só entre ' +
    '`template`, `interactive`, `reaction`, `location` e `contacts`. Um telefone que ainda não é ' +
    'contato cria contato e conversa. Com mídia o texto vira legenda. O 201 diz que a mensagem ' +
    'foi aceita e está na fila. Cada chamada envia uma mensagem. Um modelo é conferido antes ' +
    'do 201. Em `cloud`, fora da janela de 24 horas a rede só entrega modelos: use ' +
    '`outsideWindow` ou `fallbackTemplate`. ' +
    'Com `sendAt` ela fica agendada (`scheduled`) por até 90 dias, e na hora tudo é decidido de ' +
    'novo. Passada mais de uma hora, `ifLate` diz se ela ainda sai. ' +
    'Um modelo MARKETING é 409 para quem não quer marketing, ou nenhuma mensagem. ' +
    `${OPTED_OUT} ${ONCE}`,
  cancelMessage:
    'Só uma mensagem com `status: scheduled` pode ser cancelada: a caminho, ela é 409. Cancelar de ' +
    'novo não muda nada. Nenhum evento é emitido.',
  readMessage:
    'A conversa deixa de contar como não lidas esta mensagem e as anteriores, e o contato vê que ' +
    'foram lidas, se a rede e o canal o permitem agora. Repetir a chamada não muda nada. O id de ' +
    'uma mensagem enviada é 422.',
  listFlows: 'Um fluxo com `channelId` nulo serve a qualquer canal.',
  startFlow:
    'O 409 com `result: skipped` não tem `error`: um fluxo já está em andamento, a automação ' +
    `está pausada ou o contato pediu para sair. ${ONCE}`,
  listPipelines: 'Guarde o `id` das etapas: os nomes são editados pela equipe.',
  listDeals: `Uma chave de canal vê todos os negócios da organização. ${LIST}`,
  createDeal:
    'Informe `contactId` ou `phone`, nunca os dois. Sem `stageId` vale a primeira etapa do funil ' +
    `padrão. Emite \`deal.created\`. ${ONCE}`,
  changeDeal:
    'Ao menos um campo. Um negócio encerrado não muda de etapa nem encerra de novo (409); ' +
    '`status: open` o reabre. `lostReason` acompanha `status: lost`, e só ele. Emite ' +
    `\`deal.stage_changed\`, \`deal.won\`, \`deal.lost\` ou \`deal.reopened\`. ${ONCE}`,
  listTasks: `A chave vê as tarefas de toda a equipe. ${LIST}`,
  createTask:
    '`contactId` e `phone` não vão juntos; com `dealId` o contato é o do negócio. `dueTime` exige ' +
    `\`dueOn\`. Emite \`task.created\`. ${ONCE}`,
  changeTask:
    'Ao menos um campo. `dueOn` nulo remove o prazo; `dueTime` nulo volta ao dia inteiro. ' +
    `Concluir emite \`task.completed\`; reabrir não emite evento. ${ONCE}`,
  describeInboundWebhook: 'Derivado da própria validação do POST no mesmo endereço.',
  receiveInbound:
    'Informe `message` ou `flowId`, nunca os dois. O contato fica salvo mesmo quando a mensagem ' +
    'não pode ser enviada ou o fluxo não pode iniciar (404, 409). A mensagem é aceita e enviada ' +
    'para um contato que pediu para sair também; o fluxo não inicia (409). ' +
    ONCE,
  streamEvents:
    'Cada evento traz em `id` a posição no stream e o id da entrega (`posição.dlv_…`), e em ' +
    '`data` os mesmos bytes de um POST. O que não ' +
    'foi confirmado chega de novo a cada conexão, na ordem do stream: confirme com ' +
    '`Last-Event-ID` ou com `POST /api/v1/events/ack`. O stream começa na primeira conexão e ' +
    'guarda o que falta por 24 horas após a última. Uma conexão nova encerra a anterior do ' +
    'mesmo nome (`event: replaced`). Com 1.000 entregas por confirmar a resposta termina. ' +
    '`event: overflow` diz quantas foram descartadas por esperarem demais (100.000, se o operador ' +
    'não disser outro número). A chave ' +
    'tem até 10 streams e a organização 50 (409).',
  acknowledgeEvents:
    'Informe `id` ou `results`, nunca os dois. `id` confirma tudo o que o stream escreveu até ' +
    'essa entrega. `results` encerra cada entrega com o resultado de quem a repassou. Vale com ou ' +
    'sem conexão aberta, e um id desconhecido não confirma nada. Não conta no limite de ' +
    'chamadas; são aceitas 2 por segundo em cada stream (429).',
  verifyCloudWebhook: 'O token de verificação é o do canal; a resposta repete o desafio.',
  receiveCloudWebhook: 'A assinatura é conferida sobre os bytes do corpo.',
  receiveWebWebhook: 'O HMAC é conferido sobre os bytes do corpo.',
  getOpenApi: 'O próprio documento.',
  getDocumentation: 'O mesmo conteúdo de `/openapi.json`, para ler no navegador.',
  getClientPackage: 'Para `npm install` com este endereço. O pacote não depende de nenhum outro.',
  getTryPage: 'As chamadas saem do navegador com a sua chave, que não fica guardada.',
  getDocumentationFile: 'Estilos e programas de `/docs` e de `/docs/try`.',
  getHealth: 'Não consulta nada além do próprio processo.',
  getReadiness:
    '`missing` diz o que falta: `nats`, `mongodb`, `installation`, `actors` ou `partitions` ' +
    '(partições sem dono).',
};

const PHONE_SENT =
  'Telefone com 8 a 30 caracteres: dígitos, espaço e + ( ) -; é normalizado. O de um evento ou de ' +
  'outro país vai com + na frente: sem ele, os dígitos de dois contatos possíveis são recusados.';

/** Of requests: by `operationId.field`, else by the field's name. */
export const REQUEST_DESCRIPTIONS: Readonly<Record<string, string>> = {
  page: 'Página, a partir de 1.',
  limit: 'Itens por página.',
  query: 'Procura em nome, telefone e e-mail.',
  'listTemplates.query': 'Procura em nome e corpo, sem distinguir maiúsculas nem acentos.',
  'listTemplates.status': 'Apenas neste estado, com a palavra da rede: `APPROVED`, `PAUSED`.',
  phone: PHONE_SENT,
  'listContacts.phone': 'Telefone exato, em qualquer formatação.',
  status: 'Apenas neste estado.',
  'changeDeal.status': '`won` e `lost` encerram, `open` reabre.',
  channelId: 'Id do canal.',
  'sendMessage.channelId': 'Obrigatório com chave de conta; a chave de canal já o define.',
  'startFlow.channelId': 'Obrigatório com chave de conta; a chave de canal já o define.',
  contactId: 'Id de um contato.',
  'listMessages.conversationId': 'Id da conversa.',
  'sendMessage.conversationId': 'Responde nesta conversa, que deve ser do mesmo canal.',
  'createDeal.conversationId': 'Guardado apenas se a conversa for deste contato.',
  includeNotes: 'Inclui as notas internas da equipe.',
  enabled: '`true` traz apenas os fluxos ativos.',
  pipelineId: 'Id do funil.',
  stageId: 'Id da etapa.',
  'changeDeal.stageId': 'Move o negócio, que deve estar aberto.',
  dealId: 'Id do negócio.',
  assigneeId: 'Id do membro responsável.',
  ownerId: 'Id do membro dono do negócio.',
  name: 'Nome do contato.',
  'streamEvents.name': 'Nome do stream, entre os da mesma chave.',
  events: 'Nomes de eventos separados por vírgula, ou `*` para os nove do contrato.',
  'acknowledgeEvents.name': 'Nome do stream, entre os da mesma chave.',
  'acknowledgeEvents.id': 'Id de uma entrega; fora de `results`, confirma até ela.',
  results: 'Ids de entregas com o resultado de cada uma.',
  'acknowledgeEvents.status': 'Status HTTP que o destino respondeu; nulo quando não respondeu.',
  ms: 'Duração do repasse em milissegundos.',
  email: 'E-mail válido; vazio apaga.',
  fields: 'Campos livres, texto a texto; somados aos existentes.',
  tags: 'Nomes de etiquetas; as que faltam são criadas.',
  optIn: '`true` registra a autorização, `false` a saída; ausente não muda.',
  text: 'Texto; com mídia e sem `caption`, a legenda.',
  mediaUrl: 'URL pública que o serviço baixa e envia.',
  mediaId: 'Id de um arquivo da biblioteca.',
  caption: 'Legenda da mídia.',
  title: 'Título.',
  valueCents: 'Valor em centavos.',
  expectedCloseOn: 'Previsão de fechamento, AAAA-MM-DD.',
  lostReason: 'Motivo da perda; exigido com `status: lost`.',
  notes: 'Anotações.',
  dueOn: 'Dia do prazo, AAAA-MM-DD, no fuso da organização.',
  dueTime: 'Horário do prazo, HH:MM.',
  done: '`true` conclui, `false` reabre.',
  message: 'Texto enviado ao contato pelo canal, como automação.',
  flowId: 'Fluxo que começa na conversa do contato.',
  ...CONTENT_REQUEST_FIELDS,
};

/** Of answers and events: by `Component.field`, else by the field's name. */
export const ANSWER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  id: 'Identificador opaco.',
  phone: 'Telefone normalizado, só dígitos.',
  createdAt: 'Quando foi criado.',
  updatedAt: 'Quando mudou pela última vez.',
  'Identity.org': 'A organização da chave.',
  'Identity.scope': '`account` alcança todos os canais, `channel` apenas um.',
  'Identity.channel': 'O canal de uma chave de canal; nulo numa chave de conta.',
  'Identity.token': 'A própria chave.',
  prefix: 'Os primeiros caracteres da chave, para reconhecê-la.',
  provider: '`web` é um número ligado por QR code, `cloud` uma conta comercial oficial.',
  ready: 'Se um envio é possível agora.',
  reason: 'Por que não é possível; nulo quando é.',
  restriction:
    'Presente enquanto a rede não deixa o número iniciar conversas: `ready` segue verdadeiro, e ' +
    'mensagens a quem nunca escreveu esperam na fila.',
  until: 'Até quando; nulo quando a rede não diz.',
  'Contact.fields': 'Campos livres, texto a texto.',
  'Contact.tags': 'Nomes das etiquetas.',
  optIn: 'Se o contato autorizou mensagens.',
  optInAt: 'Quando autorizou.',
  optOutAt: 'Quando pediu para sair.',
  marketingOptOutAt: 'Desde quando não quer mensagens de marketing; ausente se quer.',
  source: 'De onde veio a autorização, a saída ou o contato.',
  assignedTo: 'Membro responsável; nulo quando não há.',
  participants: 'Ids dos membros participantes.',
  unread: 'Mensagens do contato ainda não lidas.',
  lastMessageAt: 'Quando foi a última mensagem.',
  lastMessagePreview: 'Início da última mensagem.',
  automationPausedUntil: 'Até quando a automação está pausada; nulo quando não está.',
  direction: '`in` do contato, `out` para ele, `note` nota interna.',
  media: 'O arquivo; nulo quando não há.',
  author: 'Quem escreveu.',
  receipts: 'Quando foi enviada, entregue e lida; nulo enquanto não foi.',
  externalId: 'Id na rede de mensagens.',
  replyToId: 'A mensagem respondida.',
  referral: 'O anúncio ou a publicação que trouxe o contato; só quando a rede o diz.',
  transcript: 'Transcrição do áudio.',
  editedAt: 'Quando o autor a editou pela última vez; só em mensagens editadas.',
  deletedAt: 'Quando o autor a apagou; só em mensagens apagadas, sem `text` e sem `media`.',
  'Message.error': 'Por que a rede recusou; só em mensagens que falharam.',
  'Flow.enabled': 'Só um fluxo ativo pode ser iniciado.',
  'Flow.channelId': 'Nulo serve a qualquer canal.',
  isDefault: 'O funil de um negócio criado sem `stageId`.',
  stages: 'As etapas, na ordem do quadro.',
  valueCents: 'Valor em centavos; 0 é sem valor.',
  ownerId: 'Membro dono do negócio.',
  expectedCloseOn: 'Previsão de fechamento, AAAA-MM-DD.',
  lostReason: 'Motivo da perda.',
  closedAt: 'Quando foi encerrado.',
  dueAt: 'Prazo em UTC; num dia inteiro, o fim dele no fuso da organização.',
  dueHasTime: 'Falso quando o prazo é o dia inteiro.',
  doneAt: 'Quando foi concluída.',
  occurredAt: 'Quando aconteceu.',
  origin: 'O que causou o evento; permite evitar ciclos.',
  fromStageId: 'A etapa anterior.',
  toStageId: 'A etapa nova.',
  'MessageEventData.error': 'Por que a rede recusou; só em `message.failed`.',
  'Error.error': 'Uma frase em português, para registros e pessoas.',
  'ValidationError.error': 'Uma frase em português, para registros e pessoas.',
  issues: 'O que corrigir, campo a campo.',
  path: 'O campo, com pontos e índices a partir de 0; vazio é o corpo todo.',
  ...CONTENT_ANSWER_FIELDS,
};

/** The same schema with the descriptions of its fields, at every depth. */
export function described(
  schema: JsonObject,
  owner: string,
  descriptions: Readonly<Record<string, string>>,
): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (keyword === 'properties' && isObject(value)) {
      return [keyword, describedFields(value, owner, descriptions)];
    }
    if (keyword === 'items' && isObject(value))
      return [keyword, described(value, owner, descriptions)];
    if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) {
      return [keyword, value.map((each) => described(each, owner, descriptions))];
    }
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}

function describedFields(
  fields: JsonObject,
  owner: string,
  descriptions: Readonly<Record<string, string>>,
): JsonObject {
  const entries = Object.entries(fields).map(([name, field]) => {
    if (!isObject(field)) return [name, field];
    const description = descriptions[`${owner}.${name}`] ?? descriptions[name];
    const inner = described(field, owner, descriptions);
    return [name, { ...inner, ...(description === undefined ? {} : { description }) }];
  });
  return Object.fromEntries(entries);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
