/**
 * Calls of http steps. They run beside the actors, through the guarded client, and report their end
 * to the conversation. At least once: the next owner repeats an interrupted call under the same
 * `Idempotency-Key` (docs/flows.md).
 */
import { FLOW_CALL_ANSWER_MAX_BYTES } from '../../shared/limits.ts';
import { isOwnHeader } from '../../shared/provisioning/flow-headers.ts';
import type { StepOf } from '../../shared/provisioning/flow-steps.ts';
import { outboxCommand } from '../../shared/wire/outbox.ts';
import type { ConversationState } from '../domain/conversation.ts';
import type { CurrentStep } from '../domain/flow/arrival.ts';
import { scopeOf } from '../domain/flow/context.ts';
import { renderTemplate } from '../domain/flow/template.ts';
import type { Environment } from '../environment.ts';
import type { Relay } from '../outbox/relay.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { FlowCallEnded } from './commands.ts';

/** Calls in flight; a run without room for its call is deferred. */
const CALLS = { perOrganization: 256, perProcess: 1_024 };

type CallsEnvironment = Pick<Environment, 'outbound' | 'log' | 'settings'>;

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

type Calling = CurrentStep<StepOf<'http'>>;

export class FlowCalls {
  readonly #environment: CallsEnvironment;
  readonly #relay: Relay;
  /** Organization ids, by the call's name. */
  readonly #inFlight = new Map<string, string>();

  constructor(environment: CallsEnvironment, relay: Relay) {
    this.#environment = environment;
    this.#relay = relay;
  }

  /** Begins the call unless it is in flight. False without room: the timer is repeated. */
  begin(state: ConversationState, calling: Calling): boolean {
    const { run, context } = calling;
    const name = context.nameOf('call');
    if (this.#inFlight.has(name)) return true;
    if (!this.#hasRoom(state.orgId)) return false;
    this.#inFlight.set(name, state.orgId);
    const { eventHeaderPrefix } = this.#environment.settings;
    const request = requestOf(state, calling, eventHeaderPrefix);
    this.#execute(state.orgId, request)
      .then((body) => {
        const { id: runId, visit } = run;
        const command: FlowCallEnded = { id: name, type: 'flow-call-ended', runId, visit, body };
        const to = { kind: 'conversation', key: state.id } as const;
        return this.#relay.publish(state, [outboxCommand({ to, command })]);
      })
      .catch((fault: unknown) => {
        this.#environment.log.error({ error: describe(fault) }, 'result of a flow call was lost');
      })
      .finally(() => this.#inFlight.delete(name));
    return true;
  }

  #hasRoom(orgId: string): boolean {
    if (this.#inFlight.size >= CALLS.perProcess) return false;
    if (this.#inFlight.size < CALLS.perOrganization) return true;
    let own = 0;
    for (const each of this.#inFlight.values()) if (each === orgId) own++;
    return own < CALLS.perOrganization;
  }

  /** The answer's body; null unless it is a 2xx. */
  async #execute(orgId: string, request: Request | null): Promise<string | null> {
    if (!request) return null;
    const { outbound, log } = this.#environment;
    const { url, ...rest } = request;
    const keptMaxBytes = FLOW_CALL_ANSWER_MAX_BYTES;
    const outcome = await outbound.request(url, { ...rest, keptMaxBytes });
    const ended = outcome.ok ? outcome.status : outcome.kind;
    log.info({ orgId, method: request.method, outcome: ended, ms: outcome.ms }, "a flow's call");
    return outcome.ok && outcome.status >= 200 && outcome.status < 300 ? outcome.body : null;
  }
}

/** Null when a template fails. */
function requestOf(
  state: ConversationState,
  { run, step, context }: Calling,
  eventPrefix: string,
): Request | null {
  const scope = scopeOf(state, run, context);
  const render = (template: string): string | null => {
    const rendered = renderTemplate(template, scope);
    return 'failed' in rendered ? null : rendered.text;
  };
  const url = render(step.url)?.trim() ?? null;
  const body = step.body === undefined ? '' : render(step.body);
  if (url === null || body === null) return null;
  const headers: Record<string, string> = {
    'user-agent': 'Recado-Flows/1.0',
    ...(step.body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
  };
  for (const [name, template] of Object.entries(step.headers ?? {})) {
    // Of a flow that was applied when this name was still taken.
    if (isOwnHeader(name, eventPrefix)) continue;
    const value = render(template);
    if (value === null) return null;
    headers[name.toLowerCase()] = value.replaceAll(/[\r\n\0]+/g, ' ').trim();
  }
  headers['idempotency-key'] = context.nameOf('call');
  const method = step.method ?? (step.body === undefined ? 'GET' : 'POST');
  return { method, url, headers, body: step.body === undefined ? null : body };
}
