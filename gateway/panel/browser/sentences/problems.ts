/** Problems of a flow's text. The flows' screen alone loads this file. */
import type { Sentences } from '../../../../shared/problems/coded.ts';
import type {
  FlowPlace,
  NameKind,
  Problem,
  ProblemParams,
} from '../../../../shared/problems/provisioning.ts';
import type { YamlCode } from '../../../../shared/problems/yaml-codes.ts';
import { sentenceOf } from './sentence-of.ts';

const KINDS: Readonly<Record<NameKind, string>> = {
  member: 'membro',
  file: 'arquivo',
  flow: 'fluxo',
  stage: 'etapa do funil',
  tag: 'etiqueta',
  channel: 'canal',
  choice: 'botão nem linha com o id',
};
const NEW_TAGS = ' (as novas são declaradas nas etiquetas da organização)';

const YAML: Readonly<Record<YamlCode, string>> = {
  ALIAS_PROPS: 'um apelido não leva âncora nem tag',
  BAD_ALIAS: 'apelido mal escrito',
  BAD_COLLECTION_TYPE: 'tag que não serve para esta coleção',
  BAD_DIRECTIVE: 'diretiva mal escrita',
  BAD_DQ_ESCAPE: 'barra invertida sem sentido entre aspas',
  BAD_INDENT: 'recuo errado, ou um colchete ou uma chave sem par',
  BAD_PROP_ORDER: 'âncora ou tag fora do lugar',
  BAD_SCALAR_START: 'texto começa por um sinal reservado; ponha-o entre aspas',
  BLOCK_AS_IMPLICIT_KEY: 'mapa em bloco não cabe nesta linha; falta um recuo ou aspas',
  BLOCK_IN_FLOW: 'bloco não cabe entre colchetes ou chaves',
  DUPLICATE_KEY: 'propriedade repetida',
  IMPOSSIBLE: 'texto que não é YAML',
  KEY_OVER_1024_CHARS: 'nome de propriedade com mais de 1.024 caracteres',
  MISSING_CHAR: 'falta um sinal: aspas, vírgula, dois-pontos, colchete ou chave',
  MULTILINE_IMPLICIT_KEY: 'nome de propriedade em mais de uma linha',
  MULTIPLE_ANCHORS: 'duas âncoras no mesmo lugar',
  MULTIPLE_DOCS: 'o texto tem mais de um documento',
  MULTIPLE_TAGS: 'duas tags no mesmo lugar',
  NON_STRING_KEY: 'nome de propriedade que não é texto',
  RESOURCE_EXHAUSTION: 'texto aninhado demais',
  TAB_AS_INDENT: 'recuo com tabulação; use espaços',
  TAG_RESOLVE_FAILED: 'tag desconhecida',
  UNEXPECTED_TOKEN: 'sinal inesperado',
};

/** The page names the flow already. */
function placeIn({ step, field }: FlowPlace): string {
  if (step === null) return field ?? '';
  const name = typeof step === 'number' ? `Etapa de índice ${step}` : `Etapa “${step}”`;
  return field === null ? name : `${name}, ${field}`;
}

function meantIn(meant: string | null): string {
  return meant === null ? '' : `; seria “${meant}”?`;
}

const PROBLEMS: Sentences<ProblemParams> = {
  foreign: ({ text }) => text,
  inFlow: ({ place, problem }) => `${placeIn(place)}: ${tell(problem)}`,
  hinted: ({ problem, hint }) => `${tell(problem)}; ${tell(hint)}`,
  didYouMean: ({ name }) => `seria “${name}”?`,
  standsIn: ({ name }) => `fica dentro de “${name}”`,
  thereAre: ({ names }) => `existem: ${names.join(', ')}`,

  unknownName: ({ kind, name, known, more, meant }) => {
    const others = more > 0 ? ` e mais ${more}` : '';
    const there = known.length === 0 ? 'não há nenhum' : `existem: ${known.join(', ')}${others}`;
    return `não há ${KINDS[kind]} “${name}”; ${there}${meantIn(meant)}${kind === 'tag' ? NEW_TAGS : ''}`;
  },
  unknownVariable: ({ name, known, meant }) => {
    const there = known.length === 0 ? 'não há nenhum' : `existem: ${known.join(', ')}`;
    return `não há variável “${name}”; ${there}${meantIn(meant)}`;
  },
  nothingInside: ({ name, within }) => `não há variável “${name}”: “${within}” não tem partes`,
  noStep: ({ id, meant }) => `nenhuma etapa tem o id “${id}”${meantIn(meant)}`,
  noChannel: ({ name }) => `não há canal “${name}”`,

  required: () => 'falta',
  requiredNext: () => 'falta: o fluxo fica sem saída aqui',
  requiredOneOf: ({ names }) => `falta: um de ${names.join(', ')}`,
  requiredForNew: () => 'falta',
  requiredForNewOrganization: () => 'falta',
  unknownProperty: () => 'não é uma propriedade conhecida',
  notQuoted: () => 'deve ser texto (ponha números entre aspas)',
  notText: () => 'deve ser texto',
  controlCharacters: () => 'não pode ter caracteres de controle',
  empty: () => 'não pode ficar em branco',
  notObject: () => 'deve ser um objeto',
  notList: () => 'deve ser uma lista',
  notFlag: () => 'deve ser true ou false',
  notNumber: () => 'deve ser um número',
  notWhole: () => 'deve ser um número inteiro',
  notPositive: () => 'deve ser maior que 0',
  tooSmall: ({ least }) => `deve ser pelo menos ${least}`,
  tooLarge: ({ most }) => `deve ser no máximo ${most}`,
  tooLong: ({ most }) => `deve ter no máximo ${most} caracteres`,
  textTooLong: ({ most }) => `Deve ter no máximo ${most} caracteres.`,
  notOneOf: ({ names }) => `deve ser um de ${names.join(', ')}`,
  reservedNames: ({ names }) => `não pode usar os nomes ${names.join(', ')}`,
  notRef: () =>
    'deve ter de 1 a 64 letras, algarismos, “.”, “_” ou “-”, começando por letra ou algarismo',
  notStepId: () => 'deve ter de 1 a 64 letras, algarismos, “-” ou “_”, como texto',
  notAnswerName: () => 'deve ser um nome de até 40 letras, algarismos ou “_”',
  notAnswerPath: () => 'deve nomear uma resposta, como order.status',
  notLongDuration: () => 'deve ser uma duração, como 6s, 2h ou 3d',
  notDuration: () => 'deve ser uma duração, como 6s',
  noDuration: () => 'deve ser maior que zero',
  notTimeOfDay: () => 'deve ser uma hora do dia, como 09:00',
  notMoment: () => 'deve ser uma data com hora e fuso, como 2030-01-31T23:59:59Z',
  notAhead: () => 'deve ser no futuro',
  notHeaderName: () => 'deve ser o nome de um cabeçalho',
  ownHeader: () => 'é um cabeçalho que uma etapa não define',
  notTimeZone: () => 'deve ser um fuso horário IANA',
  notWebUrl: () => 'deve ser um endereço http ou https',
  notNetworkUrl: () => 'deve ser um endereço http ou https, ou a palavra sandbox',
  notEmail: () => 'deve ser um e-mail, ou ficar vazio',

  notPointer: () => 'deve ser o id de uma etapa, ou null para terminar',
  notStepName: () => 'deve ser o id de uma etapa',
  repeatedStepId: ({ index }) => `já é o id da etapa de índice ${index}`,
  tooManySteps: ({ most }) => `no máximo ${most} etapas`,
  tooManyAnswers: ({ most }) => `um fluxo guarda no máximo ${most} respostas`,
  tooManyEntries: ({ most }) => `uma etapa tem no máximo ${most} entradas`,
  unreachable: () => 'nenhum caminho leva a esta etapa',
  busyLoop: ({ step }) => `volta à etapa “${step}” sem uma espera (wait ou delay) no caminho`,
  notSteps: () => 'deve ser uma lista de etapas',
  noSteps: () => 'deve ter pelo menos uma etapa',
  notTriggers: () => 'deve ser uma lista de gatilhos',
  notTags: () => 'deve ser uma lista de etiquetas',
  noTags: () => 'deve nomear pelo menos uma etiqueta',
  tooManyTagsNamed: ({ most }) => `deve nomear no máximo ${most} etiquetas`,
  noDays: () => 'deve nomear pelo menos um dia',
  noContent: ({ names }) => `deve ter text ou file, ou então um de ${names.join(', ')}`,
  doesNotGoWith: ({ name }) => `não combina com ${name}`,
  typingTooLong: ({ seconds }) => `typing precisa de um for de até ${seconds}s`,
  idleTyping: () => 'precisa que a próxima etapa envie uma mensagem',
  forOrUntil: () => 'deve ter ou for ou until',
  timeoutNeeded: () => 'onTimeout precisa de timeout',
  dueInDaysNeeded: () => 'dueTime precisa de dueInDays',
  titleNeeded: () => 'create precisa de title',
  stageNeeded: () => 'move precisa de stage',
  statusNeeded: () => 'close precisa de status',
  lostReasonAlone: () => 'lostReason acompanha status lost, e só ele',
  optNext: () =>
    'o opt-in leva a uma próxima etapa; o opt-out termina o fluxo: despeça-se antes dele',
  mustStay: ({ ref }) => `deve continuar sendo “${ref}”`,
  notRemovedHere: () => 'um fluxo não é removido por aqui',

  textOrFile: () => 'deve ter ou text ou file',
  notLanguage: () => 'deve ser um idioma, como pt_BR',
  liquidInName: () => 'vai como está escrito, sem Liquid',
  notValues: () => 'deve ser uma lista de textos, ou textos por nome (ponha números entre aspas)',
  tooManyTextsHeld: ({ most }) => `deve ter no máximo ${most} textos`,
  notButtons: () => 'deve ser uma lista de botões',
  noButtons: () => 'deve ter pelo menos um botão',
  tooManyButtons: ({ most }) => `deve ter no máximo ${most} botões`,
  notRows: () => 'deve ser uma lista de linhas',
  noRows: () => 'deve ter pelo menos uma linha',
  tooManyRows: ({ most }) => `deve ter no máximo ${most} linhas ao todo`,
  notSections: () => 'deve ser uma lista de seções',
  noSections: () => 'deve ter pelo menos uma seção',
  untitledSections: () => 'com mais de uma seção, cada uma precisa de title',
  repeatedId: () => 'não pode repetir um id',
  repeatedTitle: () => 'não pode repetir um título',
  repeatedIndex: () => 'não pode repetir um index',
  notDegrees: ({ most }) => `deve ser graus de -${most} a ${most}, ou um modelo Liquid`,
  notEmoji: () => 'deve ser um só emoji',
  notPhones: () => 'deve ser uma lista de telefones',
  noPhones: () => 'deve ter pelo menos um telefone',
  tooManyPhones: ({ most }) => `deve ter no máximo ${most} telefones`,
  notContacts: () => 'deve ser uma lista de contatos',
  noContacts: () => 'deve ter pelo menos um contato',
  tooManyContacts: ({ most }) => `deve ter no máximo ${most} contatos`,
  notOnWeb: ({ content }) => `o canal deste fluxo é web, que não envia mensagens ${content}`,

  tooDeep: () => 'está fundo demais',
  notCases: () => 'deve ser uma lista de casos',
  noCases: () => 'deve ter pelo menos um caso',
  tooManyCases: ({ most }) => `deve ter no máximo ${most} casos`,
  notConditions: () => 'deve ser uma lista de condições',
  noConditions: () => 'deve ter pelo menos uma condição',
  tooManyConditions: ({ most }) => `deve ter no máximo ${most} condições`,
  notTexts: () => 'deve ser uma lista de textos',
  tooManyTexts: ({ most }) => `no máximo ${most} textos`,
  notHours: () => 'deve ser como 09:00-18:00',
  notListOf: ({ names }) => `deve ser uma lista de ${names.join(', ')}`,
  unclearSubject: ({ names }) => `deve perguntar por exatamente um de ${names.join(', ')}`,
  unfitComparison: ({ names }) =>
    `uma resposta ou um campo leva exatamente um de ${names.join(', ')}, e nada mais leva algum`,
  chosenOfField: () => 'chosen acompanha uma resposta (answer), e não um campo',

  notTemplate: ({ fault }) => `não é um modelo Liquid: ${tell(fault)}`,
  liquidTag: ({ name, place }) => `a tag “${name}” não existe${place}`,
  liquidTagOpen: ({ tag, place }) => `a tag ${tag} não foi fechada${place}`,
  liquidOutputOpen: ({ output, place }) => `a saída “${output}” não foi fechada${place}`,
  liquidFilter: ({ name }) => `filtro desconhecido: ${name}`,
  liquidToken: ({ token }) => `trecho inesperado ${token}`,
  liquidValue: ({ expression }) => `expressão inválida: ${expression}`,

  noAnchor: ({ name }) => `Nada antes tem a âncora ${name}`,
  tooManyAliases: ({ most }) => `O texto tem mais de ${most} apelidos`,
  aliasInside: ({ name }) => `O apelido ${name} está dentro do que ele nomeia`,
  aliasesRepeated: () => 'o texto repete demais o que os apelidos nomeiam',
  emptyText: () => 'o texto está vazio',
  yaml: ({ code, ends }) => {
    const fault = YAML[code];
    return ends ? `${fault}; o texto acaba aí: está completo?` : fault;
  },

  notOrganizations: () => 'deve ser uma lista de organizações',
  refUsedBy: ({ ref, place }) => `“${ref}” já é usado por ${place}`,
  usedBy: ({ place }) => `já é usado por ${place}`,
  tokenGivenAt: ({ place }) => `o mesmo token já está em ${place}`,
  numberGivenAt: ({ place }) => `o mesmo número já está em ${place}`,
  fileTooLarge: ({ maxBytes }) => `tem mais de ${maxBytes} bytes`,
  fileUnreadable: ({ reason }) =>
    `o arquivo não pode ser lido${reason === null ? '' : ` (${reason})`}`,

  notApiVersion: () => 'deve ser como v26.0',
  notAccountId: () => 'deve ter de 1 a 64 letras, algarismos, “-” ou “_”',
  notToken: () => 'deve ter de 24 a 200 caracteres ASCII visíveis',
  notMediaType: () => 'deve ser um tipo de mídia, como image/png',
  notDigest: () => 'deve ser um SHA-256 em hexadecimal minúsculo',
  notEvents: () => 'deve ser uma lista de nomes de eventos',
  noEvents: () => 'deve nomear pelo menos um evento',
  notCountry: () => 'deve ser um código de país ISO 3166 de duas letras',
  settingOfOther: ({ provider }) => `não é uma configuração do provedor ${provider}`,
  settingRequired: ({ provider }) => `é exigida pelo provedor ${provider}`,
  paceTwice: () => 'também está em network.pace',
  notPhone: () => 'não é um telefone',
  tokenRepeated: () => 'já é o token de uma chave',
  tokenTaken: () => 'já está em uso',
  channelOfAccountKey: () => 'não é para uma chave de escopo account',
  channelRequired: () => 'falta para uma chave de escopo channel',
  tooManyMembers: ({ most }) => `são no máximo ${most}`,
  full: ({ most }) => `já são ${most}`,
  lastAdmin: () => 'é o último administrador, e um tem de ficar',
  noStages: () => 'precisa de ao menos uma etapa',
  repeatedName: ({ name }) => `“${name}” já é de outra etapa do funil`,
  oneDefault: () => 'deve ser true para exatamente um funil',
  stageHasDeals: ({ ref }) =>
    `deixa de fora a etapa “${ref}”, que tem negócios: diga em moveTo qual etapa os recebe`,
  tooManyTags: ({ most }) => `seriam mais que as ${most} que uma organização pode ter`,
  numberHeld: ({ channel, organization }) =>
    `já é o do canal “${channel}”${organization === null ? '' : ` da organização “${organization}”`}`,
  numberTaken: () => 'foi tomado por outra organização neste momento: aplique de novo',
  cannotRemove: ({ ref, namedBy }) => {
    const names = namedBy.map((each) => ('key' in each ? `chave “${each.key}”` : placeIn(each)));
    return `“${ref}” não pode ser removido: é nomeado por ${names.join('; ')}`;
  },
  unverifiableSecret: ({ prefix, minBytes, maxBytes }) =>
    `deve ter base64 com preenchimento, de ${minBytes} a ${maxBytes} bytes, depois de ${prefix}`,
};

export function tell(problem: Problem): string {
  return sentenceOf(PROBLEMS, problem);
}
