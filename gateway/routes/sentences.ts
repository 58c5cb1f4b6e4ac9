/** Portuguese sentences that the descriptions of several rows have. */

export const LIST = 'A ordem é fixa. `total` conta todos os itens do filtro, não só os da página.';
export const ONCE =
  'Com `Idempotency-Key`, repetir a mesma chamada em 24 horas não a executa de novo.';
