/** Portuguese texts of the OpenAPI document that several rows share: of tags and of fields. */
import type { JsonObject } from '../json-schema.ts';

export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Chave: 'A chave usada e o que ela alcança.',
  Canais: 'Os números conectados da organização.',
  Equipe: 'As pessoas que atendem no painel.',
  Modelos: 'Mensagens aprovadas pela rede oficial, da conta de cada canal.',
  Contatos: 'As pessoas; pertencem à organização, não a um canal.',
  Conversas: 'Uma conversa por canal e contato.',
  Mensagens: 'O histórico das conversas e o envio.',
  Arquivos: 'A biblioteca da organização: arquivos que mensagens e fluxos enviam.',
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

const PHONE_SENT =
  'Telefone com 8 a 30 caracteres: dígitos, espaço e + ( ) -; é normalizado. O de um evento ou de ' +
  'outro país vai com + na frente: sem ele, os dígitos de dois contatos possíveis são recusados.';

/** Of requests, where the row itself has none, by the field's name. */
const REQUEST_DESCRIPTIONS: Readonly<Record<string, string>> = {
  page: 'Página, a partir de 1.',
  limit: 'Itens por página.',
  phone: PHONE_SENT,
  status: 'Apenas neste estado.',
  channelId: 'Id do canal.',
  contactId: 'Id de um contato.',
  stageId: 'Id da etapa.',
  dealId: 'Id do negócio.',
  assigneeId: 'Id do membro responsável.',
  ownerId: 'Id do membro dono do negócio.',
  name: 'Nome do contato.',
  email: 'E-mail válido; vazio apaga.',
  fields: 'Campos livres, texto a texto; somados aos existentes.',
  tags: 'Nomes de etiquetas; as que faltam são criadas.',
  removeFields: 'Nomes de campos a retirar; os que não existem são ignorados.',
  removeTags: 'Etiquetas a retirar; as que não existem são ignoradas.',
  optIn: '`true` registra a autorização, `false` a saída; ausente não muda.',
  title: 'Título.',
  valueCents: 'Valor em centavos.',
  expectedCloseOn: 'Previsão de fechamento, AAAA-MM-DD.',
  notes: 'Anotações.',
  dueOn: 'Dia do prazo, AAAA-MM-DD, no fuso da organização.',
  dueTime: 'Horário do prazo, HH:MM.',
};

/** Of answers and events: by `Component.field`, else by the field's name. */
const ANSWER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  id: 'Identificador opaco.',
  phone: 'Telefone normalizado, só dígitos.',
  createdAt: 'Quando foi criado.',
  updatedAt: 'Quando mudou pela última vez.',
  'Identity.org': 'A organização da chave.',
  'Identity.scope': '`account` alcança todos os canais, `channel` apenas um.',
  'Identity.channel': 'O canal de uma chave de canal; nulo numa chave de conta.',
  'Identity.token': 'A própria chave.',
  prefix: 'Os primeiros caracteres da chave, para reconhecê-la.',
  access: 'O que ela pode chamar: `read` lê, `send` também envia, `full` tudo.',
  'Identity.expiresAt': 'Quando deixa de valer; nulo se não vence.',
  assistant: 'De um assistente de IA: o que ela muda tem a origem `assistant`.',
  provider: '`web` é um número ligado por QR code, `cloud` uma conta comercial oficial.',
  ready: 'Se um envio é possível agora.',
  reason: 'Por que não é possível; nulo quando é.',
  restriction:
    'Presente enquanto a rede não deixa o número iniciar conversas: `ready` segue verdadeiro, e ' +
    'mensagens a quem nunca escreveu esperam na fila. Numa pendência de pagamento, mensagens fora ' +
    'da janela de 24 horas.',
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
  ad: 'O anúncio que trouxe o contato; só quando a rede o diz.',
  firstAd: 'O primeiro anúncio que trouxe o contato, que outro não substitui; ausente sem um.',
  sourceId: 'Id do anúncio ou da publicação na rede.',
  sourceType: '`ad` ou `post`, nas palavras da rede.',
  sourceUrl: 'Endereço do anúncio, `http` ou `https`.',
  clickId: 'Id do clique (`ctwa_clid`), para informar conversões à rede.',
  headline: 'Título do anúncio.',
  product: 'O produto do catálogo de que a mensagem trata.',
  order: 'O pedido feito no catálogo; `items` vazio quando a rede não diz os itens.',
  catalogId: 'Id do catálogo; nulo quando a rede não diz.',
  retailerId: 'Código do produto na loja; sem ele, o da rede.',
  priceCents: 'Preço de uma unidade em centésimos da moeda; nulo quando a rede não diz.',
  currency: 'Moeda, três letras.',
  transcript: 'Transcrição do áudio.',
  editedAt: 'Quando o autor a editou pela última vez; só em mensagens editadas.',
  deletedAt: 'Quando o autor a apagou; só em mensagens apagadas, sem `text` e sem `media`.',
  'Message.error':
    'Por que a rede recusou; só em mensagens que falharam, ou recebidas sem o arquivo delas.',
  'Flow.enabled': 'Só um fluxo ativo pode ser iniciado.',
  'Flow.channelId': 'Nulo serve a qualquer canal.',
  'Member.name': 'Nome do membro.',
  role: '`admin` administra, `attendant` atende, `viewer` só lê.',
  'Member.enabled': 'Falso: não entra no painel.',
  'Tag.name': 'Na grafia em que foi criada.',
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
  'MessageEventData.error':
    'Por que a rede recusou; só em `message.failed`, e em `message.received` sem o arquivo dela.',
  'Error.error': 'Uma frase em português, para registros e pessoas.',
  'ValidationError.error': 'Uma frase em português, para registros e pessoas.',
  issues: 'O que corrigir, campo a campo.',
  path: 'O campo, com pontos e índices a partir de 0; vazio é o corpo todo.',
  windowExpiresAt:
    'Fim da janela de 24 horas, pelo relógio da rede; nulo em `web` e antes da primeira.',
  template: 'O modelo enviado; o texto dele está em `text`.',
  interactive: 'A mensagem com botões, ou a escolha do contato: `button` ou `row`, `id`, `title`.',
  reaction: 'A mensagem e o emoji, vazio quando retirada.',
  location: 'O lugar.',
  contacts: 'Os cartões de contato.',
  replacesId: 'A mensagem recusada pela janela, no lugar da qual este modelo foi enviado.',
  scheduledAt: 'Para quando foi agendada.',
  priority: 'Só numa mensagem `bulk`.',
  expiresAt: 'Até quando uma mensagem `bulk` pode sair.',
  backlog: 'O que espera na fila do canal, do mais urgente ao menos.',
  reply: 'Respostas.',
  normal: 'Mensagens que não são nem respostas nem envio em massa.',
  bulk: 'O envio em massa.',
  queued: 'Quantas esperam, contadas até 1.000.',
  more: 'Há mais do que as contadas.',
  oldestQueuedAt: 'Quando a mais antiga foi aceita; nulo quando nenhuma espera.',
};

/** The description of a field by its name. */
type DescriptionOf = (field: string) => string | undefined;

/** @param own the row's own descriptions, which come first */
export function requestDescriptions(own: Readonly<Record<string, string>> = {}): DescriptionOf {
  return (field) => own[field] ?? REQUEST_DESCRIPTIONS[field];
}

export function answerDescriptions(component: string): DescriptionOf {
  return (field) => ANSWER_DESCRIPTIONS[`${component}.${field}`] ?? ANSWER_DESCRIPTIONS[field];
}

/** The same schema with the descriptions of its fields, at every depth. */
export function described(schema: JsonObject, descriptionOf: DescriptionOf): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (keyword === 'properties' && isObject(value)) {
      return [keyword, describedFields(value, descriptionOf)];
    }
    if (keyword === 'items' && isObject(value)) return [keyword, described(value, descriptionOf)];
    if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) {
      return [keyword, value.map((each) => described(each, descriptionOf))];
    }
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}

function describedFields(fields: JsonObject, descriptionOf: DescriptionOf): JsonObject {
  const entries = Object.entries(fields).map(([name, field]) => {
    if (!isObject(field)) return [name, field];
    const description = descriptionOf(name);
    const inner = described(field, descriptionOf);
    return [name, { ...inner, ...(description === undefined ? {} : { description }) }];
  });
  return Object.fromEntries(entries);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
