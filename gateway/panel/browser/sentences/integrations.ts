/** Texts of "Integrações". */

export const INTEGRATIONS = {
  title: 'Integrações',
  keys: 'Chaves',
  noKeys: 'Nenhuma chave. Um sistema que usa a API precisa de uma: crie com “Nova chave”.',
  revoke: 'Revogar',
  revokeTitle: (name: string) => `Revogar “${name}”?`,
  revokeText: 'Quem usa esta chave é recusado a partir de agora. Não há como desfazer.',
  ofChannel: (label: string) => `do canal ${label}`,
  ofAccount: 'de toda a organização',
  revokedAt: (when: string) => `revogada ${when}`,
  showRevoked: (count: number) => `Mostrar as revogadas (${count})`,
  subscriptions: 'Assinaturas',
  noSubscriptions:
    'Nenhuma assinatura. Com “Nova assinatura”, cada evento é entregue no endereço do seu sistema.',
  createSubscription: 'Nova assinatura',
  confirmCreate: 'Criar assinatura',
  url: 'Endereço',
  events: 'Eventos',
  everyEvent: 'Os nove eventos principais',
  created: 'Assinatura criada',
  rotated: 'Novo segredo',
  once: 'Copie o segredo agora: ele aparece só desta vez. Com ele seu sistema confere as entregas.',
  onceRotated: 'Copie o segredo agora: ele aparece só desta vez. O anterior ainda vale por um dia.',
  secret: 'Segredo',
  rotate: 'Trocar segredo',
  enable: 'Ativar',
  disable: 'Desativar',
  enabled: 'Ativa',
  disabled: 'Desativada',
  streams: 'Streams',
  streamsLead:
    'Programas que leem os eventos por uma conexão, sem endereço público. Um stream termina 24 h depois da última conexão.',
  noStreams:
    'Nenhum stream. Ele começa quando um programa se conecta: com “recado listen” ou em GET /api/v1/events.',
  ofKey: (name: string) => `chave ${name}`,
  connected: 'Conectado',
  unconnected: 'Sem conexão',
  lastConnection: 'Última conexão:',
  waiting: (count: number, unacknowledged: number) =>
    count === 0
      ? 'Nada espera.'
      : `${count === 1 ? '1 evento espera' : `${count} eventos esperam`}, ${unacknowledged} sem confirmação.`,
  readByStream: {
    pending: 'espera a confirmação de quem lê',
    succeeded: 'confirmada por quem lê',
    failed: 'não foi lida a tempo',
    parked: 'retida',
  },
  deliveries: 'Entregas',
  noDeliveries:
    'Nenhuma entrega com estes filtros. A próxima aparece aqui assim que um evento sair.',
  subscription: 'Assinatura',
  everySubscription: 'Todas as assinaturas',
  status: 'Situação',
  everyStatus: 'Todas as situações',
  statuses: {
    pending: 'Esperando',
    succeeded: 'Entregue',
    failed: 'Falhou',
    parked: 'Retida',
  },
  retry: 'Reenviar',
  retried: (count: number) =>
    count === 1 ? '1 entrega vai de novo agora.' : `${count} entregas vão de novo agora.`,
  retryRange: 'Reenviar as que falharam',
  rangeTitle: 'Reenviar as entregas que falharam',
  rangeSince: 'Desde o dia',
  rangeUntil: 'Até o dia',
  rangeNeeds: 'Escolha primeiro uma assinatura no filtro.',
  attempts: 'Tentativas',
  noAttempts: 'Nenhuma tentativa ainda.',
  attempt: (number: number) => `${number}ª`,
  answered: (status: number, ms: number) => `respondeu ${status} em ${ms} ms`,
  unanswered: (error: string, ms: number) => `${error} depois de ${ms} ms`,
  response: 'Resposta',
  body: 'Corpo',
  nextAttempt: (when: string) => `Próxima tentativa: ${when}`,
  curl: 'Repita no terminal (sem a assinatura, que só o serviço faz)',
  details: 'Detalhes',
  live: 'Eventos ao vivo',
  liveLead:
    'O que acontece enquanto uma página do painel está aberta, como as assinaturas recebem. Nada disto é salvo; aparecem os 100 mais novos.',
  eventType: 'Tipo de evento',
  everyType: 'Todos os eventos',
  pause: 'Pausar',
  resume: 'Continuar',
  pausedWith: (count: number) =>
    count === 0
      ? 'Parado. Nada novo até agora.'
      : count === 1
        ? 'Parado. 1 evento novo espera.'
        : `Parado. ${count} eventos novos esperam.`,
  noEvents:
    'Nenhum evento ainda. Escreva para um dos seus canais, ou mude um negócio: o evento aparece aqui na hora.',
  noEventsOfType: 'Nenhum evento deste tipo ainda. Escolha “Todos os eventos” para ver os outros.',
  subject: 'Abrir',
  calls: 'Últimas chamadas do webhook de entrada',
  callsSince: (when: string) =>
    `Conhecidas desde ${when}, no máximo 200. Telefones aparecem cobertos.`,
  noCalls: 'Nenhuma chamada conhecida. Copie o endereço em “Canais” e chame-o.',
  channel: 'Canal',
  columns: {
    at: 'Quando',
    status: 'Resposta',
    phone: 'Telefone',
    given: 'Campos',
    problem: 'Problema',
  },
} as const;
