/** The version of Recado: of its package, its API (C9.2) and its changelog. */
export const VERSION = '1.0.0';
