/** Texts of "Fluxos". */

/** By the server's names. */
const KINDS: Readonly<Record<string, string>> = {
  send: 'manda mensagem',
  wait: 'espera resposta',
  choose: 'escolhe',
  delay: 'espera um tempo',
  set: 'salva campos',
  tag: 'põe etiquetas',
  untag: 'tira etiquetas',
  opt: 'altera o opt-in',
  assign: 'atribui',
  deal: 'cria negócio',
  task: 'cria tarefa',
  http: 'chama um sistema',
  start: 'inicia outro fluxo',
  handoff: 'passa à equipe',
  end: 'termina',
};

/** By the server's names, of the content of a message. */
const CONTENTS: Readonly<Record<string, string>> = {
  template: 'manda modelo',
  interactive: 'manda botões',
  reaction: 'reage',
  location: 'manda um lugar',
  contacts: 'manda contatos',
};

/** By the server's names. */
const WAYS: Readonly<Record<string, string>> = {
  next: 'segue',
  onTimeout: 'sem resposta',
  onError: 'com erro',
  else: 'senão',
};

/** By the server's names. */
const REASONS: Readonly<Record<string, string>> = {
  over_budget:
    'Interrompido: os modelos do fluxo fizeram mais trabalho do que uma etapa, ou uma execução inteira, pode fazer.',
  template_failed: 'Interrompido: um modelo da etapa falhou.',
  not_finished: 'Interrompido: a etapa foi tentada três vezes e não chegou ao fim.',
  operator: 'Interrompido pelo operador do serviço.',
};

export const FLOWS = {
  title: 'Fluxos',
  emptyTitle: 'Nenhum fluxo ainda',
  emptyText: 'O primeiro vem de um arquivo, por “recado apply”. Depois ele é editado aqui.',
  countedPart: 'Só as conversas mais recentes foram contadas.',
  enabled: 'Ativo',
  disabled: 'Desativado',
  enable: 'Ativar',
  disable: 'Desativar',
  edit: 'Editar',
  publish: 'Publicar',
  main: 'fluxo principal',
  ofChannel: (label: string) => `canal ${label}`,
  ofEveryChannel: 'todo canal',
  updated: (when: string) => `alterado em ${when}`,
  running: (count: number) => (count === 1 ? '1 conversa' : `${count} conversas`),
  graphOf: (name: string) => `Etapas de ${name}`,
  steps: 'Etapas',
  waiting: (count: number) =>
    count === 0 ? 'Ninguém espera' : count === 1 ? '1 espera' : `${count} esperam`,
  kinds: KINDS,
  contents: CONTENTS,
  ways: WAYS,
  case: (number: number) => `caso ${number}`,
  textOf: 'Texto do fluxo',
  draft: 'Este é o rascunho que você deixou, ainda não publicado. “Cancelar” o descarta.',
  refused: 'Nada foi publicado, e o seu texto continua no editor. Corrija e publique de novo:',
  line: (line: number) => `Linha ${line}`,
  trace: 'Execução',
  runs: 'Últimas execuções',
  runStates: { running: 'Em andamento', finished: 'Terminou', stopped: 'Interrompido' },
  reasons: REASONS,
  at: (step: string) => `em ${step}`,
  noRuns: 'Ninguém passou por este fluxo ainda. Quando um contato entrar, a execução aparece aqui.',
  noRun: 'Esta conversa não passou por um fluxo.',
  began: (when: string) => `começou em ${when}`,
  ended: (when: string) => `terminou em ${when}`,
  open: 'Abrir a conversa',
  cut: 'O começo desta execução é antigo demais e não está aqui.',
  last: 'Último fluxo',
  lastUntil: (flow: string, when: string) => `${flow}, até ${when}`,
  lastTrace: 'Ver a última execução',
  beginning: 'Início',
  chosen: (ways: string) => `Caminho: ${ways}`,
  nextStep: (step: string) => `Vai para ${step}`,
  nextTimer: (step: string, when: string) => `Vai para ${step}; o prazo vence em ${when}`,
  over: 'A execução termina aqui.',
} as const;
