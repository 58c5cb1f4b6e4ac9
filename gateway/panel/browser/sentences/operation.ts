/** Texts of "Operação". */

/** By the server's names. */
const AGENDA_NAMES: Readonly<Record<string, string>> = {
  sends: 'Envios',
  scheduled: 'Mensagens agendadas',
  timers: 'Relógios de fluxos',
  reminders: 'Lembretes de tarefas',
  deliveries: 'Entregas de eventos',
};

/** By the names of the Procfile. */
const PROCESS_ROLES: Readonly<Record<string, string>> = {
  gateway: 'API',
  actors: 'Atores',
  panel: 'Painel',
  sandbox: 'Rede de teste',
};

/** By the server's names. */
const ACTOR_NAMES: Readonly<Record<string, string>> = {
  organization: 'Organizações',
  contact: 'Contatos',
  conversation: 'Conversas',
  channel: 'Canais',
  deal: 'Negócios',
  task: 'Tarefas',
  subscription: 'Assinaturas',
  person: 'Pessoas',
};

export const OPERATION = {
  title: 'Operação',
  lastHour: 'Última hora',
  noRates: 'Ainda sem medidas',
  noRatesText: 'A primeira vem em instantes; só há medidas enquanto esta página está aberta.',
  messages: 'Mensagens',
  refusals: 'Recusas',
  latency: 'Demora das aceitas',
  backlog: 'Pedidos em espera',
  oldestDue: 'Atraso do mais antigo',
  hourAgo: 'há 1 h',
  now: 'agora',
  measures: {
    accepted: 'aceitas',
    sent: 'enviadas',
    delivered: 'eventos entregues',
    refused: 'recusadas',
    p50: 'metade até',
    p99: '99% até',
    backlog: 'esperando',
    oldestDueMs: 'atraso',
  },
  plotted: (name: string, last: string, most: string) => `${name} agora ${last}, no máximo ${most}`,
  doctor: 'Diagnóstico',
  good: 'OK',
  bad: 'Atenção',
  agendas: 'Agendas',
  agendaNames: AGENDA_NAMES,
  nothingDue: 'nada atrasado',
  oldest: (age: string) => `o mais antigo espera há ${age}`,
  breakers: 'Disjuntores',
  noBreakers: 'Nenhum disjuntor aberto: todo endereço aceita entregas.',
  openSince: (when: string) => `aberto desde ${when}`,
  recovering: 'recuperando o que ficou retido',
  probeAt: (when: string) => `próxima prova ${when}`,
  processes: 'Processos',
  columns: {
    id: 'Processo',
    role: 'Papel',
    pid: 'PID',
    kinds: 'Tipos',
    mailboxes: 'Caixas',
    depth: 'Em espera',
    turns: 'Turnos por segundo',
  },
  roles: PROCESS_ROLES,
  actorNames: ACTOR_NAMES,
  withoutPartitions: 'sem partições',
  partitions: 'Partições',
  holds: (id: string, partitions: string, epochs: string) =>
    `${id}: ${partitions} (época ${epochs})`,
  cell: (partitions: string, id: string, epoch: number) =>
    `${partitions.includes('–') ? 'partições' : 'partição'} ${partitions}: ${id}, época ${epoch}`,
} as const;
