/** Texts of many conversations that are changed at once. */
function conversations(count: number): string {
  return count === 1 ? '1 conversa' : `${count} conversas`;
}

/** The end of a participle. */
function s(count: number): string {
  return count === 1 ? '' : 's';
}

export const SELECTION = {
  title: 'Seleção',
  clear: 'Limpar seleção',
  tag: 'Etiquetar',
  tagOf: (count: number) =>
    count === 1
      ? 'O contato da conversa recebe a etiqueta.'
      : `O contato de cada uma das ${count} conversas recebe a etiqueta.`,
  noTag: 'Escreva a etiqueta.',
  counted: (count: number, hidden: number) =>
    `${count} selecionada${s(count)}${hidden === 0 ? '' : `, ${hidden} fora da lista`}`,
  full: (max: number) => `No máximo ${max} conversas de uma vez.`,
  progress: (doing: string, done: number, total: number) => `${doing}: ${done} de ${total}…`,
  assigning: 'Atribuindo',
  resolving: 'Resolvendo',
  tagging: 'Etiquetando',
  assigned: (count: number, name: string) => `${conversations(count)} com ${name}`,
  unassigned: (count: number) => `${conversations(count)} sem responsável`,
  resolved: (count: number) => `${conversations(count)} resolvida${s(count)}`,
  tagged: (count: number, tag: string) => `${conversations(count)} com a etiqueta “${tag}”`,
  ended: (done: string, failed: number) =>
    `${done}${failed === 0 ? '' : `, ${failed} sem sucesso`}.`,
  failed: (count: number) =>
    count === 1
      ? '1 conversa não mudou e continua selecionada. Você pode repetir:'
      : `${count} conversas não mudaram e continuam selecionadas. Você pode repetir:`,
} as const;
