/** Texts of the composer of a conversation. */
export const COMPOSER = {
  message: 'Mensagem',
  send: 'Enviar',
  note: 'Nota',
  attach: 'Anexar arquivo',
  messageHint: 'Escreva para o contato, ou / para respostas rápidas',
  noteHint: 'Escreva para a equipe; o contato não vê',
  quickReplies: 'Respostas rápidas',
  noQuickReplies: 'Nenhuma resposta rápida. Escreva um texto e salve-o aqui.',
  keepQuickReply: 'Salvar o texto como resposta rápida',
  quickReplyHint:
    'Ao inserir, as variáveis são preenchidas: {{contact.name}}, {{contact.phone}}, {{contact.email}}, {{contact.fields.plano}}, {{org.name}}. Como nos fluxos, {{ contact.name | default: "cliente" }} diz o que fica sem valor.',
  unfilledQuickReply: 'O modelo desta resposta rápida tem um erro: o texto entrou como está.',
  quickReplyTitle: 'Título da resposta rápida',
  removeQuickReplies: 'Apagar respostas rápidas',
  removeQuickReply: (title: string) => `Apagar ${title}`,
  remove: 'Apagar',
  uploading: (name: string, percent: number) => `${name}: ${percent}%`,
  files: 'Anexos',
  removeOnlyFile: (name: string) => `Remover ${name}`,
  removeFile: (name: string) => `Remover anexo: ${name}`,
  filesLeft: (most: number, left: number) =>
    left === 1
      ? `No máximo ${most} arquivos de uma vez: 1 não foi anexado.`
      : `No máximo ${most} arquivos de uma vez: ${left} não foram anexados.`,
  refusedFile: 'Um arquivo não foi aceito. Tente de novo ou remova-o.',
  stillUploading: 'O arquivo ainda está a caminho. Envie quando ele chegar.',
  tooMany: (count: number) =>
    `${count} mensagens ainda esperam resposta do servidor. O texto continua aqui.`,
  noteWithFile: 'Uma nota não leva arquivo. Remova-o, ou volte para a mensagem.',
  readOnly: 'Seu acesso é de leitura.',
} as const;

/** Voice messages. What is said of a recording comes with its script. */
export const VOICE = {
  start: 'Gravar áudio',
  stop: 'Parar gravação',
  discard: 'Descartar gravação',
  time: 'Tempo de gravação',
  begun: 'Gravando.',
  sendsLater: 'Pare a gravação antes de enviar.',
} as const;

export const NEW_CONVERSATION = {
  title: 'Nova conversa',
  channel: 'Canal',
  template: 'Modelo',
  noTemplate: 'Sem modelo',
  text: 'Texto',
  confirm: 'Iniciar conversa',
  noChannel: 'Nenhum canal está ligado ainda.',
  empty: 'Escreva o texto, ou escolha um modelo.',
  labels: {
    header: () => 'Cabeçalho',
    variable: (name: string) => (/^\d+$/.test(name) ? `Variável ${name}` : name),
    button: (title: string) => `Botão ${title}`,
  },
} as const;

/** Templates, scheduled messages, and content beside a message's text. */
export const SENDING = {
  templates: {
    open: 'Modelos',
    title: 'Modelos aprovados',
    none: 'Este canal não tem modelos aprovados.',
    notFound: 'Nenhum modelo com este nome ou texto.',
    send: 'Enviar modelo',
    preview: 'O contato lê:',
    file: 'Arquivo do cabeçalho',
    header: (example?: string) => (example ? `Cabeçalho (ex.: ${example})` : 'Cabeçalho'),
    variable: (name: string, example?: string) =>
      example ? `Variável ${name} (ex.: ${example})` : `Variável ${name}`,
    button: (title: string, example?: string) =>
      example ? `Botão ${title} (ex.: ${example})` : `Botão ${title}`,
  },
  schedule: {
    open: 'Agendar',
    title: 'Agendar mensagem',
    confirm: 'Agendar envio',
    day: 'Dia',
    time: 'Hora',
    past: 'Este momento já passou. Escolha outro.',
    list: 'Mensagens agendadas',
    counted: (total: number) =>
      total === 1 ? '1 mensagem agendada' : `${total} mensagens agendadas`,
    at: (time: string) => `Agendada para ${time}`,
    cancel: 'Cancelar envio',
  },
  content: {
    template: (name: string) => `Modelo ${name}`,
    choice: 'Escolheu uma opção',
    choices: 'Opções',
    map: 'Ver no mapa',
    ad: (words: string) => `Veio do anúncio: ${words}`,
    someAd: 'Veio de um anúncio',
    product: (id: string) => `Sobre o produto ${id}`,
    order: 'Pedido do catálogo',
    items: (count: number) => (count === 1 ? '1 item' : `${count} itens`),
  },
} as const;
