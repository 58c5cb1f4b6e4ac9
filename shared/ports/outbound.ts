/** HTTP to callers' URLs. */
export type PostOutcome =
  | {
      readonly ok: true;
      readonly status: number;
      readonly body: string;
      readonly ms: number;
      readonly retryAfterMs?: number;
    }
  /** `kind` is `blocked_address`, `timeout`, `dns`, `refused`, `reset`, `tls` or `network`. */
  | { readonly ok: false; readonly kind: string; readonly error: string; readonly ms: number };

/** Guarded outbound HTTP for callers' URLs: no packet to a non-public address (I10). */
export interface Outbound {
  /** Checks a URL as registration does: null when acceptable, else why not (English). */
  refuse(url: string): Promise<string | null>;
  /** One POST, no redirects; 10 s from the connection's start to the response head. */
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<PostOutcome>;
  /** One request of a flow, never to the loopback; under the same deadline and rule on redirects. */
  request(url: string, request: OutboundRequest): Promise<PostOutcome>;
}

export interface OutboundRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** How much of the answer's body the outcome holds. */
  readonly retainedMaxBytes: number;
}
