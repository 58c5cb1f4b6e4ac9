/** Texts of "Canais", and of keys. */

export const KEYS = {
  create: 'Nova chave',
  confirmCreate: 'Criar chave',
  name: 'Nome da chave',
  scope: 'Alcance',
  account: 'Toda a organização',
  access: 'Acesso',
  accesses: { read: 'Somente leitura', send: 'Leitura e envio', full: 'Completo' },
  expires: 'Vence em',
  assistant: 'Assistente de IA',
  expiresAt: (when: string) => `vence ${when}`,
  expired: (when: string) => `venceu ${when}`,
  created: 'Chave criada',
  once: 'Copie a chave agora: ela aparece só desta vez. Se a perder, crie outra e revogue esta.',
  token: 'Chave',
  tryIt: 'Teste no terminal',
  done: 'Já copiei',
  placeholder: 'SUA_CHAVE',
  neverUsed: 'nunca usada',
  lastUsed: (when: string) => `usada pela última vez ${when}`,
} as const;

export const CHANNELS = {
  title: 'Canais',
  refresh: 'Atualizar',
  emptyTitle: 'Nenhum canal ainda',
  emptyText: 'Um canal é um número conectado. Quem opera o serviço o cria com “recado apply”.',
  ready: 'Pronto',
  notReady: 'Não está pronto',
  disabled: 'Desativado',
  until: (when: string) => `Até ${when}.`,
  phone: 'Número',
  provider: 'Rede',
  providers: { web: 'WhatsApp Web', cloud: 'WhatsApp Cloud API' },
  backlog: 'Fila',
  queued: (count: number, more: boolean) =>
    count === 0
      ? 'Nenhuma mensagem esperando'
      : `${more ? 'mais de ' : ''}${count} ${count === 1 ? 'mensagem' : 'mensagens'} esperando`,
  oldest: (age: string) => `a mais antiga há ${age}`,
  bulk: (count: number, more: boolean) =>
    `${more ? 'Mais de ' : ''}${count} ${count === 1 ? 'mensagem' : 'mensagens'} em massa na fila`,
  cancelBulk: 'Cancelar envio em massa',
  confirmCancelBulk: 'Cancelar mensagens',
  cancelBulkOf: (label: string) =>
    `As mensagens em massa que esperam na fila de ${label} não serão enviadas. As que já estão a ` +
    'caminho saem. Não há como desfazer.',
  cancelled: (count: number) =>
    count === 1 ? '1 mensagem cancelada.' : `${count} mensagens canceladas.`,
  pace: 'Ritmo',
  perSecond: (count: number) => `até ${count} por segundo`,
  integration: (label: string) => `Integração de ${label}`,
  inboundUrl: 'Webhook de entrada',
  networkUrl: 'Webhook da rede',
  curl: 'Chamada de exemplo: troque SUA_CHAVE por uma chave do canal',
  keysOf: (label: string) => `Chaves de ${label}`,
  noKeys: 'Nenhuma chave deste canal. Crie uma com “Nova chave” para receber contatos de um site.',
} as const;
