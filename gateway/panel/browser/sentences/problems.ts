/**
 * Problems of a flow's text, by the sentences of `recado apply`. Holes as `base/translator.ts` has
 * them. The flows' screen alone loads this file.
 */
import type { Sentences } from '../base/translator.ts';

const PLACES: Sentences = [
  ['flow "{w}", step "{w}", {w}: {+}', 'Etapa “{2}”, {3}: {4}'],
  ['flow "{w}", step number {w}, {w}: {+}', 'Etapa de índice {2}, {3}: {4}'],
  ['flow "{w}", step "{w}": {+}', 'Etapa “{2}”: {3}'],
  ['flow "{w}", step number {w}: {+}', 'Etapa de índice {2}: {3}'],
  ['flow "{w}", {w}: {+}', '{2}: {3}'],
];

const NAMES: Sentences = [
  ['names no member "{}"', 'não há membro “{1}”'],
  ['names no file "{}"', 'não há arquivo “{1}”'],
  ['names no flow "{}"', 'não há fluxo “{1}”'],
  ['names no stage "{}"', 'não há etapa do funil “{1}”'],
  ['names no tag "{}"', 'não há etiqueta “{1}”'],
  ['names no button or row "{}"', 'não há botão nem linha com o id “{1}”'],
  ['names no channel "{}"', 'não há canal “{1}”'],
  ['names no variable "{}": nothing lies in "{}"', 'não há variável “{1}”: “{2}” não tem partes'],
  ['names no variable "{}"', 'não há variável “{1}”'],
  ['no step has the id "{}"', 'nenhuma etapa tem o id “{1}”'],
  [
    "{+} (new ones are declared in the organization's tags)",
    '{1} (as novas são declaradas nas etiquetas da organização)',
  ],
  ['there are none', 'não há nenhum'],
  ['there are: {} and {w} more', 'existem: {1} e mais {2}'],
  ['there are: {}', 'existem: {1}'],
  ['did you mean "{}"?', 'seria “{1}”?'],
  ['did you mean {}?', 'seria “{1}”?'],
  ['it stands in {}', 'fica dentro de “{1}”'],
];

const SHAPES: Sentences = [
  ['is required: the flow has a dead end here', 'falta: o fluxo fica sem saída aqui'],
  ['is required: one of {}', 'falta: um de {1}'],
  ['is required for a new entry', 'falta'],
  ['is required', 'falta'],
  ['is not a known property', 'não é uma propriedade conhecida'],
  ['must be text (put numbers in quotes)', 'deve ser texto (ponha números entre aspas)'],
  ['must be text', 'deve ser texto'],
  ['must not have control characters', 'não pode ter caracteres de controle'],
  ['must not be empty', 'não pode ficar em branco'],
  ['must be an object', 'deve ser um objeto'],
  ['must be a list', 'deve ser uma lista'],
  ['must be true or false', 'deve ser true ou false'],
  ['must be a number', 'deve ser um número'],
  ['must be a whole number', 'deve ser um número inteiro'],
  ['must be at least {}', 'deve ser pelo menos {1}'],
  ['must be at most {} characters', 'deve ter no máximo {1} caracteres'],
  ['must be at most {}', 'deve ser no máximo {1}'],
  ['must be one of {}', 'deve ser um de {1}'],
  ['must not use the names {}', 'não pode usar os nomes {1}'],
  [
    'must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit',
    'deve ter de 1 a 64 letras, algarismos, “.”, “_” ou “-”, começando por letra ou algarismo',
  ],
  [
    'must be 1 to 64 letters, digits, "-" or "_", as text',
    'deve ter de 1 a 64 letras, algarismos, “-” ou “_”, como texto',
  ],
  [
    'must be a name of at most 40 letters, digits or "_"',
    'deve ser um nome de até 40 letras, algarismos ou “_”',
  ],
  ['must name an answer, such as order.status', 'deve nomear uma resposta, como order.status'],
  ['must be a duration such as 6s, 2h or 3d', 'deve ser uma duração, como 6s, 2h ou 3d'],
  ['must be a duration such as 6s', 'deve ser uma duração, como 6s'],
  ['must be longer than nothing', 'deve ser maior que zero'],
  ['must be a time of day such as 09:00', 'deve ser uma hora do dia, como 09:00'],
  ['must be a header name', 'deve ser o nome de um cabeçalho'],
  ['is a header that a step does not set', 'é um cabeçalho que uma etapa não define'],
  ['must be an IANA time zone name', 'deve ser um fuso horário IANA'],
  ['must be an http or https URL', 'deve ser um endereço http ou https'],
  [
    'must be an http or https URL, or the word sandbox',
    'deve ser um endereço http ou https, ou a palavra sandbox',
  ],
  ['must be an e-mail address, or empty', 'deve ser um e-mail, ou ficar vazio'],
  ['is no template: {?}', 'não é um modelo Liquid: {1}'],
];

const STEPS: Sentences = [
  [
    "must be a step's id, or null to end the flow",
    'deve ser o id de uma etapa, ou null para terminar',
  ],
  ["must be a step's id", 'deve ser o id de uma etapa'],
  ['is already the id of step {w}', 'já é o id da etapa de índice {1}'],
  ['no step does {}', 'nenhuma etapa faz {1}'],
  ['at most {w} steps', 'no máximo {1} etapas'],
  ['a flow keeps at most {w} answers', 'um fluxo guarda no máximo {1} respostas'],
  ['a step holds at most {w} entries', 'uma etapa tem no máximo {1} entradas'],
  ['no way leads to this step', 'nenhum caminho leva a esta etapa'],
  [
    'leads back to step "{}" without a wait or a delay on the way',
    'volta à etapa “{1}” sem uma espera (wait ou delay) no caminho',
  ],
  ['must be a list of steps', 'deve ser uma lista de etapas'],
  ['must have at least one step', 'deve ter pelo menos uma etapa'],
  ['must be a list of triggers', 'deve ser uma lista de gatilhos'],
  ['must be a list of tags', 'deve ser uma lista de etiquetas'],
  ['must name at least one tag', 'deve nomear pelo menos uma etiqueta'],
  ['must name at most 20 tags', 'deve nomear no máximo 20 etiquetas'],
  ['must name at least one day', 'deve nomear pelo menos um dia'],
  ['must say text or file, or one of {}', 'deve ter text ou file, ou então um de {1}'],
  ['does not go with {w}', 'não combina com {1}'],
  ['typing needs a for of at most {w}s', 'typing precisa de um for de até {1}s'],
  ['needs a next step that sends', 'precisa que a próxima etapa envie uma mensagem'],
  ['must say either for or until', 'deve ter ou for ou until'],
  ['onTimeout needs a timeout', 'onTimeout precisa de timeout'],
  ['dueTime needs dueInDays', 'dueTime precisa de dueInDays'],
  ['create needs a title', 'create precisa de title'],
  ['move needs a stage', 'move precisa de stage'],
  ['close needs a status', 'close precisa de status'],
  [
    'lostReason goes with status lost, and only with it',
    'lostReason acompanha status lost, e só ele',
  ],
  [
    'opting in leads to a next step; opting out ends the flow: say goodbye before it',
    'o opt-in leva a uma próxima etapa; o opt-out termina o fluxo: despeça-se antes dele',
  ],
  ['must stay "{}"', 'deve continuar sendo “{1}”'],
  ['a flow is not removed here', 'um fluxo não é removido por aqui'],
];

const CONTENTS: Sentences = [
  ['must say either text or file', 'deve ter ou text ou file'],
  ['must be a language such as pt_BR', 'deve ser um idioma, como pt_BR'],
  ['is sent as it is written, without Liquid', 'vai como está escrito, sem Liquid'],
  [
    'must be a list of texts, or texts by name (put numbers in quotes)',
    'deve ser uma lista de textos, ou textos por nome (ponha números entre aspas)',
  ],
  ['must hold at most {w} texts', 'deve ter no máximo {1} textos'],
  ['must be a list of buttons', 'deve ser uma lista de botões'],
  ['must hold at least one button', 'deve ter pelo menos um botão'],
  ['must hold at most {w} buttons', 'deve ter no máximo {1} botões'],
  ['must be a list of rows', 'deve ser uma lista de linhas'],
  ['must hold at least one row', 'deve ter pelo menos uma linha'],
  ['must hold at most {w} rows in all', 'deve ter no máximo {1} linhas ao todo'],
  ['must be a list of sections', 'deve ser uma lista de seções'],
  ['must hold at least one section', 'deve ter pelo menos uma seção'],
  [
    'must have titles where it has several sections',
    'com mais de uma seção, cada uma precisa de title',
  ],
  ['must not repeat an id', 'não pode repetir um id'],
  ['must not repeat a title', 'não pode repetir um título'],
  ['must not repeat an index', 'não pode repetir um index'],
  [
    'must be degrees from -{w} to {w}, or a template',
    'deve ser graus de -{1} a {2}, ou um modelo Liquid',
  ],
  ['must be one emoji', 'deve ser um só emoji'],
  ['must be a list of phones', 'deve ser uma lista de telefones'],
  ['must hold at least one phone', 'deve ter pelo menos um telefone'],
  ['must hold at most {w} phones', 'deve ter no máximo {1} telefones'],
  ['must be a list of contacts', 'deve ser uma lista de contatos'],
  ['must hold at least one contact', 'deve ter pelo menos um contato'],
  ['must hold at most {w} contacts', 'deve ter no máximo {1} contatos'],
  [
    'a web channel, the only one of this flow, sends no {w} message',
    'o canal deste fluxo é web, que não envia mensagens {1}',
  ],
];

const CONDITIONS: Sentences = [
  ['lies too deep', 'está fundo demais'],
  ['must be a list of cases', 'deve ser uma lista de casos'],
  ['must hold at least one case', 'deve ter pelo menos um caso'],
  ['must hold at most 50 cases', 'deve ter no máximo 50 casos'],
  ['must be a list of conditions', 'deve ser uma lista de condições'],
  ['must hold at least one condition', 'deve ter pelo menos uma condição'],
  ['must hold at most 20 conditions', 'deve ter no máximo 20 condições'],
  ['must be a list of texts', 'deve ser uma lista de textos'],
  ['at most 100 texts', 'no máximo 100 textos'],
  ['must look like 09:00-18:00', 'deve ser como 09:00-18:00'],
  ['must be a list of {}', 'deve ser uma lista de {1}'],
  ['must ask for exactly one of {}', 'deve perguntar por exatamente um de {1}'],
  [
    'an answer or a field takes exactly one of {}, nothing else takes any',
    'uma resposta ou um campo leva exatamente um de {1}, e nada mais leva algum',
  ],
  [
    'chosen goes with an answer, and not with a field',
    'chosen acompanha uma resposta (answer), e não um campo',
  ],
];

/** Of the library that reads templates. */
const TEMPLATES: Sentences = [
  ['tag "{}" not found{}', 'a tag “{1}” não existe{2}'],
  ['tag {} not closed{}', 'a tag {1} não foi fechada{2}'],
  ['output "{}" not closed{}', 'a saída “{1}” não foi fechada{2}'],
  ['undefined filter: {}', 'filtro desconhecido: {1}'],
  ['unexpected token {}', 'trecho inesperado {1}'],
  ['invalid value expression: {}', 'expressão inválida: {1}'],
];

const TEXTS: Sentences = [
  ['Nothing before has the anchor {}', 'Nada antes tem a âncora {1}'],
  ['There are more than {} aliases', 'O texto tem mais de {1} apelidos'],
  ['The alias {} lies inside of what it names', 'O apelido {1} está dentro do que ele nomeia'],
  ['The file holds several documents', 'O texto tem mais de um documento'],
  [
    'the flow repeats what its aliases name too often',
    'o texto repete demais o que os apelidos nomeiam',
  ],
  ['the flow is empty: it must hold orgs', 'o texto está vazio'],
  ['the file ends there: is it whole?', 'o texto acaba aí: está completo?'],
];

export const PROBLEM_SENTENCES: Sentences = [
  ...PLACES,
  ...NAMES,
  ...SHAPES,
  ...STEPS,
  ...CONTENTS,
  ...CONDITIONS,
  ...TEMPLATES,
  ...TEXTS,
];

/** By the YAML parser's codes. */
export const YAML_SENTENCES = {
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
} as const;
