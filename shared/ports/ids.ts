/** Fresh and derived ids of an installation. */
/** The inputs of an installation's derived names. */
export interface InstallationRecord {
  /** 32 bytes, base64. */
  readonly salt: string;
}

export interface Ids {
  /** A fresh opaque id `<prefix>_<22 chars of A-Za-z0-9>`. */
  fresh(prefix: string): string;
  /**
   * The same opaque id for the same parts for the life of the installation. Keyed with the
   * installation's salt, so that it reveals nothing about a phone.
   */
  derive(prefix: string, ...parts: readonly string[]): string;
  /** SHA-256, base64url: how keys are found without being stored. */
  digest(secret: string): string;
}
