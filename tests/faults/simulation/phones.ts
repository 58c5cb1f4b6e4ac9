/** Phones of the few contacts that all clients of a world share. */
export const PHONES = ['5511987650001', '5511987650002', '5511987650003', '5521987650004'];
