/**
 * Calls of http steps. They run beside the actors, through the guarded client, and report their end
 * to the conversation. At least once: the next owner repeats an interrupted call under the same
 * `Idempotency-Key` (docs/flows.md).
 */
import { FLOW_CALL_ANSWER_MAX_BYTES } from '../../../shared/limits.ts';
import { outboxCommand } from '../../../shared/wire/outbox.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import { type Calling, type CallRequest, requestOf } from '../../domain/flow/call.ts';
import type { Environment } from '../../environment.ts';
import type { FlowCallEnded } from '../../model/flow.ts';
import type { Relay } from '../../outbox/relay.ts';
import { describe } from '../../runtime/describe-fault.ts';

/** Calls in flight; a run without room for its call is deferred. */
const CALLS = { perOrganization: 256, perProcess: 1_024 };

type CallsEnvironment = Pick<Environment, 'outbound' | 'log' | 'settings'>;

export class FlowCalls {
  readonly #environment: CallsEnvironment;
  readonly #relay: Relay;
  /** Organization ids, by the call's name. */
  readonly #inFlight = new Map<string, string>();

  constructor(environment: CallsEnvironment, relay: Relay) {
    this.#environment = environment;
    this.#relay = relay;
  }

  /** Begins the call unless it is in flight. Without capacity the timer is repeated. */
  begin(state: ConversationState, calling: Calling): 'begun' | 'no-capacity' | 'over-budget' {
    const { run, context } = calling;
    const name = context.nameOf('call');
    if (this.#inFlight.has(name)) return 'begun';
    if (!this.#hasCapacity(state.orgId)) return 'no-capacity';
    const { eventHeaderPrefix } = this.#environment.settings;
    const request = requestOf(state, calling, eventHeaderPrefix);
    const { exceeded, spent } = context.budget;
    if (exceeded) return 'over-budget';
    this.#inFlight.set(name, state.orgId);
    this.#execute(state.orgId, request)
      .then((body) => {
        const { id: runId, visit } = run;
        const end = { runId, visit, body, spent };
        const command: FlowCallEnded = { id: name, type: 'flow-call-ended', ...end };
        const to = { kind: 'conversation', key: state.id } as const;
        const entity = { orgId: state.orgId, collection: 'entries', id: state.id } as const;
        return this.#relay.publish(entity, [outboxCommand({ to, command })]);
      })
      .catch((fault: unknown) => {
        this.#environment.log.error({ error: describe(fault) }, 'result of a flow call was lost');
      })
      .finally(() => this.#inFlight.delete(name));
    return 'begun';
  }

  #hasCapacity(orgId: string): boolean {
    if (this.#inFlight.size >= CALLS.perProcess) return false;
    if (this.#inFlight.size < CALLS.perOrganization) return true;
    let own = 0;
    for (const each of this.#inFlight.values()) if (each === orgId) own++;
    return own < CALLS.perOrganization;
  }

  /** The answer's body; null unless it is a 2xx. */
  async #execute(orgId: string, request: CallRequest | null): Promise<string | null> {
    if (!request) return null;
    const { outbound, log } = this.#environment;
    const { url, ...rest } = request;
    const retainedMaxBytes = FLOW_CALL_ANSWER_MAX_BYTES;
    const outcome = await outbound.request(url, { ...rest, retainedMaxBytes });
    const ended = outcome.ok ? outcome.status : outcome.kind;
    log.info({ orgId, method: request.method, outcome: ended, ms: outcome.ms }, "a flow's call");
    return outcome.ok && outcome.status >= 200 && outcome.status < 300 ? outcome.body : null;
  }
}
