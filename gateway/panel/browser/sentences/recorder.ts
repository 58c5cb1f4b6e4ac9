/** Texts of a voice message that the first load lacks. */
export const RECORDER = {
  name: 'Gravação',
  empty: 'Nada foi gravado.',
  limit: 'A gravação chegou ao limite, e foi anexada.',
  insecure: 'Por http o navegador não dá o microfone. Abra o painel por https para gravar áudio.',
  unsupported: 'Este navegador não grava áudio em um formato que as redes aceitam.',
  denied:
    'O navegador não deu o microfone. Permita o microfone para este site no navegador e tente de novo.',
  absent: 'Nenhum microfone foi encontrado.',
  failed: 'A gravação falhou. Verifique o microfone e tente de novo.',
} as const;
