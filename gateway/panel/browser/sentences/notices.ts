/** Texts of the notices of new messages. */
export const NOTICES = {
  title: 'Notificações',
  lead: 'Para conversas suas e sem responsável. O número de não lidas fica no título da página.',
  enable: 'Ativar notificações',
  disable: 'Desativar notificações',
  on: 'Ativas: aparecem enquanto o painel não está à vista.',
  withText: 'Mostrar o texto',
  sound: 'Som',
  closed: 'Nada chega com a página fechada: deixe uma aba do painel aberta.',
  message: 'Nova mensagem',
  unread: (count: number) => (count === 1 ? 'não lida' : 'não lidas'),
  reasons: {
    insecure:
      'O navegador só mostra notificações em endereços https. Aqui ficam o número no título e o som.',
    denied:
      'O navegador bloqueou as notificações deste endereço. Libere-as nas configurações do site.',
    unable: 'Este navegador não mostra notificações. Ficam o número no título e o som.',
  },
} as const;
