/** Secrets at rest, and signatures by them. */
/** The location of a stored secret: its organization, record and field. */
export interface SecretLocation {
  readonly orgId: string;
  readonly recordId: string;
  readonly field: string;
}

/** A stored secret does not open: it was sealed under another key, or for another place. */
export class DecryptionFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DecryptionFailed';
  }
}

/** Stored secrets are encrypted at rest under SECRETS_KEY, each bound to its place. */
export interface Vault {
  seal(plain: string, place: SecretLocation): string;
  /**
   * @throws {DecryptionFailed} on a text that was sealed for another place, or under another key
   */
  open(sealed: string, place: SecretLocation): string;
  /** `sha256=<hex>` and `v1,<base64>` signatures of one delivery (D46). */
  sign(
    secrets: readonly string[],
    delivery: { id: string; timestamp: number; body: string },
  ): {
    readonly service: string;
    readonly standard: string;
  };
  /** A new `whsec_…` signing secret. */
  freshSecret(): string;
}
