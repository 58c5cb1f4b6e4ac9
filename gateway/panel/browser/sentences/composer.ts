/** Texts of the composer of a conversation. */
export const COMPOSER = {
  message: 'Mensagem',
  send: 'Enviar',
  note: 'Nota',
  attach: 'Anexar arquivo',
  messageHint: 'Escreva para o contato',
  noteHint: 'Escreva para a equipe; o contato não vê',
  quickReplies: 'Respostas rápidas',
  noQuickReplies: 'Nenhuma resposta rápida. Escreva um texto e guarde-o aqui.',
  keepQuickReply: 'Guardar o texto como resposta rápida',
  quickReplyTitle: 'Título da resposta rápida',
  removeQuickReplies: 'Apagar respostas rápidas',
  removeQuickReply: (title: string) => `Apagar ${title}`,
  remove: 'Apagar',
  uploading: (name: string, percent: number) => `${name}: ${percent}%`,
  removeFile: (name: string) => `Remover ${name}`,
  oneFile: 'Só o primeiro arquivo foi anexado: cada mensagem leva um.',
  stillUploading: 'O arquivo ainda está a caminho. Envie quando ele chegar.',
  tooMany: (count: number) =>
    `${count} mensagens ainda esperam resposta do servidor. O texto continua aqui.`,
  noteWithFile: 'Uma nota não leva arquivo. Remova-o, ou volte para a mensagem.',
  readOnly: 'Seu acesso é de leitura.',
} as const;
