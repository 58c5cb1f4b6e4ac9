/** The version of Recado: of its package, its API (contract section 9) and its changelog. */
export const VERSION = '1.0.0';
