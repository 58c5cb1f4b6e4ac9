/** One call of a client, and what clients have learnt for later ones. */
import type { Operation } from './coverage.ts';
import type { Call, Replied } from './world/processes.ts';

export type RequestFields = Readonly<Record<string, unknown>>;

export interface Order {
  readonly request: RequestFields;
  readonly call?: Call;
  readonly run?: () => Promise<Replied>;
  /** Another's change of the same thing, for between the tries of a call under a key. */
  readonly rival?: () => { readonly operation: Operation; readonly order: Order };
}

/** Ids that clients have learnt from answers, for later calls. */
export interface Learnt {
  readonly conversations: string[];
  readonly deals: string[];
  readonly tasks: string[];
  readonly stages: string[];
  readonly contacts: string[];
  /** The newest message that is known of a conversation. */
  readonly newest: Map<string, string>;
}
