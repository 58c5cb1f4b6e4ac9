/** Queries of the gateways for a key's organization: by its digest, never by the key. */

/** `recado.query.key`: 200 `{orgId}` or 404. */
export interface FindKey {
  readonly digest: string;
}

/** `recado.query.keys`: 200 `{found: [digest, orgId][]}`, of those that are keys. */
export interface FindKeys {
  readonly digests: readonly string[];
}
