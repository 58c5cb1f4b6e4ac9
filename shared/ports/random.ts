/** Randomness. */
export interface Random {
  /** Uniform in [0, 1). */
  unit(): number;
}
