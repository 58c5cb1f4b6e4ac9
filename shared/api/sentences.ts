/** Validation sentences for `issues[].message`: all of them, in Portuguese, once. */

import { EVENT_STREAM_NAME_MAX_CHARS } from '../limits.ts';

export const SENTENCES = {
  required: 'Campo obrigatório.',
  notObject: 'O corpo deve ser um objeto JSON.',
  objectExpected: 'Deve ser um objeto.',
  textExpected: 'Deve ser um texto.',
  booleanExpected: 'Deve ser true ou false.',
  integerExpected: 'Deve ser um número inteiro.',
  numberExpected: 'Deve ser um número.',
  listExpected: 'Deve ser uma lista.',
  empty: 'Não pode ser vazio.',
  brokenText: 'Contém caracteres inválidos.',
  controlCharacters: 'Não pode ter quebras de linha nem caracteres de controle.',
  reservedKey: 'Este nome de campo é reservado.',
  repeated: 'O parâmetro foi informado mais de uma vez.',
  phoneCharacters: 'Use apenas dígitos, espaço e os sinais + ( ) -.',
  phoneInvalid: 'Telefone inválido.',
  emailInvalid: 'E-mail inválido.',
  urlInvalid: 'Deve ser uma URL http ou https.',
  channelNotNamed: 'Uma chave da organização inteira não tem canal.',
  urlRefused: 'O serviço não entrega neste endereço.',
  atLeastOne: 'Escolha ao menos um.',
  oneSelection: 'Informe ids, ou subscriptionId com since.',
  momentInvalid: 'Deve ser um momento, como 2026-01-02T03:04:05Z.',
  momentPast: 'Deve ser um momento que ainda não passou.',
  tooFarBack: 'Há entregas demais antes desta página: filtre por momento.',
  channelRequired: 'Informe o canal: esta chave alcança todos os canais da organização.',
  recipientRequired: 'Informe phone ou conversationId.',
  contentRequired: 'Informe text, mediaUrl ou mediaId.',
  standsAlone: 'Não combina com os outros conteúdos desta mensagem: envie um de cada vez.',
  oneHeader: 'Informe text, mediaUrl ou mediaId, e só um deles.',
  uniqueIds: 'Os ids não podem se repetir.',
  uniqueTitles: 'Os títulos não podem se repetir.',
  tooManyRows: 'A lista pode ter no máximo 10 linhas ao todo.',
  sectionTitles: 'Com mais de uma seção, cada uma precisa de título.',
  interactiveType: 'Deve ser um destes valores: buttons, list, url.',
  reactionReply: 'Uma reação não cita outra mensagem.',
  templateFallback: 'Um modelo não precisa de outro no lugar dele.',
  lateWithoutTime: 'Só vale com sendAt.',
  expiryWithoutBulk: 'Só vale com priority bulk.',
  expiryRange: 'Deve ser um momento depois do envio, até 30 dias à frente.',
  trueExpected: 'Deve ser true.',
  conditionRequired: 'Informe lastMessageId, automation ou os dois.',
  conditionLater: 'É conferido na hora da chamada: não combina com sendAt.',
  notOnWeb: 'Este número não aceita este tipo de mensagem.',
  scheduleRange: 'Deve ser um momento de agora até daqui a 90 dias.',
  tooManyScheduled: 'A organização já tem o máximo de mensagens agendadas.',
  quotedUnknown: 'A mensagem não existe nesta conversa.',
  notOnNetwork: 'A rede não conhece esta mensagem.',
  oneMedia: 'Use mediaUrl ou mediaId, nunca os dois.',
  captionTooLong: 'Com mídia o texto vira legenda e pode ter no máximo 1024 caracteres.',
  resultTooLarge: 'O resultado é grande demais para uma ferramenta: peça menos itens por página.',
  audioCaption: 'Áudio não leva legenda: envie-o sem text nem caption.',
  streamName: `Use de 1 a ${EVENT_STREAM_NAME_MAX_CHARS} letras minúsculas, dígitos e hifens.`,
  idOrResults: 'Informe id ou results.',
  oneAcknowledgement: 'Use id ou results, nunca os dois.',
  oneEmoji: 'Deve ser um único emoji, ou vazio para retirar a reação.',
  outerSpaces: 'Não deve começar nem terminar com espaço.',
  noDigits: 'Deve ter dígitos.',
  onlyInbound: 'Só uma mensagem do contato pode ser marcada como lida.',
} as const;

/** Sentences of `/mcp`, for errors of a message that is no call of the API. */
/** Bare digits that are two contacts' numbers. */
export function phoneAmbiguous(shown: string, national: string): string {
  return `Pode ser +${shown} ou +${national}: informe o telefone com + e o código do país.`;
}

export const RPC_SENTENCES = {
  batch: 'Envie uma mensagem por chamada, e não uma lista.',
  notMessage: 'O corpo deve ser uma mensagem JSON-RPC 2.0, com id de texto ou inteiro.',
  idMissing: 'Esta mensagem exige um id.',
  unknownMethod: 'Método desconhecido.',
  paramsExpected: 'params deve ser um objeto.',
  versionExpected: 'Informe protocolVersion.',
  unknownTool: 'Ferramenta desconhecida.',
  unknownCursor: 'A lista tem uma página só: não envie cursor.',
  badArguments: 'arguments deve ser um objeto, sem níveis demais.',
  metaExpected: 'Informe em _meta a versão do protocolo e as capacidades do cliente.',
  headerMismatch: 'Os cabeçalhos do protocolo não repetem o que a mensagem diz.',
  unknownVersion: 'Versão do protocolo desconhecida.',
} as const;

export function atLeastChars(min: number): string {
  return min === 1 ? SENTENCES.empty : `Deve ter pelo menos ${min} caracteres.`;
}

export function atMostChars(max: number): string {
  return `Deve ter no máximo ${max} caracteres.`;
}

export function atMostItems(max: number): string {
  return `Deve ter no máximo ${max} itens.`;
}

export function atLeast(min: number): string {
  return `Deve ser maior ou igual a ${min}.`;
}

export function atMost(max: number): string {
  return `Deve ser menor ou igual a ${max}.`;
}

export function oneOf(values: readonly string[]): string {
  return `Deve ser um destes valores: ${values.join(', ')}.`;
}
