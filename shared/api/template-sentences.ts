/** Sentences about templates, for `issues[].message` and for a list's `reason`. */

const STATES: Readonly<Record<string, string>> = {
  PENDING: 'ainda está em análise pela rede',
  IN_APPEAL: 'ainda está em análise pela rede',
  REJECTED: 'foi recusado pela rede',
  PAUSED: 'está pausado pela rede, por causa da qualidade',
  DISABLED: 'foi desativado pela rede',
  PENDING_DELETION: 'está sendo excluído',
  DELETED: 'foi excluído',
  ARCHIVED: 'está arquivado',
  LIMIT_EXCEEDED: 'passou do limite de modelos da conta',
};

const FILES: Readonly<Record<string, string>> = {
  image: 'uma imagem',
  video: 'um vídeo',
  document: 'um documento',
};

export const TEMPLATE_SENTENCES = {
  noAccount: 'O canal não tem businessAccountId na configuração: sem ele não há modelos.',
  noCloudChannel: 'Só a rede oficial (cloud) tem modelos.',
  noChannel: 'A organização não tem nenhum canal da rede oficial (cloud), que tem os modelos.',
  notSynchronised: 'Os modelos desta conta ainda não foram sincronizados com a rede.',
  noTemplates: 'A conta não tem nenhum modelo na rede.',
  unknown: 'A conta não tem nenhum modelo com este nome.',
  missingVariable: 'O modelo exige esta variável.',
  superfluousVariable: 'O modelo não tem esta variável.',
  positional: 'As variáveis deste modelo têm números: informe uma lista, em ordem.',
  headerText: 'O cabeçalho do modelo exige um texto: informe text.',
  superfluousHeader: 'O cabeçalho deste modelo não leva nada.',
  textHeader: 'O cabeçalho do modelo é um texto: informe text, e não um arquivo.',
  repeatedButton: 'O botão foi informado mais de uma vez.',
  fixedButton: 'Este botão não leva valor.',
  otherCode: 'Deve ser o mesmo código do corpo.',
  whitespace: 'Não pode ter quebra de linha, tabulação nem mais de 4 espaços seguidos.',
} as const;

/** Its status is the network's own word, which the sentence repeats. */
export function notApproved(status: string): string {
  return `O modelo ${STATES[status] ?? 'não está aprovado'} (${status}).`;
}

export function otherLanguages(languages: readonly string[]): string {
  return `O modelo não existe neste idioma, só em: ${languages.join(', ')}.`;
}

export function unfillable(part: string): string {
  return `O modelo tem uma parte que o serviço não preenche (${part}).`;
}

export function missingVariables(names: readonly string[]): string {
  return `O modelo exige as variáveis ${names.join(', ')}.`;
}

export function namedVariables(names: readonly string[]): string {
  return `As variáveis deste modelo têm nomes: informe um objeto com ${names.join(', ')}.`;
}

export function missingFile(format: string): string {
  return `O cabeçalho do modelo exige ${FILES[format]}: informe mediaUrl ou mediaId.`;
}

export function otherFile(format: string): string {
  return `O cabeçalho do modelo deve ser ${FILES[format]}.`;
}

export function missingButton(index: number, title: string): string {
  return `O modelo exige um valor para o botão ${index} (${title}).`;
}

export function unknownButton(count: number): string {
  return count === 0 ? 'O modelo não tem botões.' : `O último botão do modelo é o ${count - 1}.`;
}

export function tooLong(max: number, chars: number): string {
  return `Com as variáveis, pode ter no máximo ${max} caracteres, e tem ${chars}.`;
}
