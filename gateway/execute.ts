/**
 * Three ways to execute a call whose key and body were read.
 *
 * 1. Optimistically: the cached caller's command is asked at once, with the admission on board.
 * 2. Admitted: the organization's owner admits the call first, then its plan is run.
 * 3. Idempotently: an admitted call under an `Idempotency-Key` (`idempotency.ts`).
 */
import { isPlainObject } from '../shared/api/fields.ts';
import { type FailureKind, failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../shared/limits.ts';
import type { CommandOf } from '../shared/ports/bus.ts';
import type { Ids } from '../shared/ports/ids.ts';
import type { Caller } from '../shared/wire/caller.ts';
import type { CallClaim } from '../shared/wire/queries.ts';
import {
  type Admitted,
  type AdmittedCall,
  admission,
  admit,
  readAdmission,
} from './authenticate.ts';
import type { StreamCall } from './events/asked-owners.ts';
import type { Gateway, KnownKey } from './gateway.ts';
import { answerReply, type Reply, refusalReply } from './http/respond.ts';
import { type IdempotentCall, runIdempotently } from './idempotency.ts';
import { readMedia } from './media.ts';
import { answerWithRest } from './parts.ts';
import { type ActorPlan, type Ask, answered, type Plan, type Run } from './route.ts';
import type { ParsedBody } from './validate.ts';

export interface ApiCall {
  readonly key: KnownKey;
  /** A refusal of the body waits until the call is admitted: 401 and 429 come first. */
  readonly body: ParsedBody | Reply;
  /** The `Idempotency-Key` as sent. */
  readonly header: string | undefined;
  /** Method and path. */
  readonly route: string;
  readonly ids: Ids;
  readonly frame: AskFrame;
  readonly prepare: (
    caller: Caller,
    body: ParsedBody,
    made: { readonly ids: Ids; readonly claim?: CallClaim },
  ) => Plan | Run;
  /** Called with the caller that was admitted. */
  readonly onAdmitted: (caller: Caller) => void;
}

/** @throws when no owner answers in time */
export async function execute(gateway: Gateway, call: ApiCall): Promise<Reply> {
  const { key, frame } = call;
  const ids = replayableIds(call.ids);
  const optimistic = await runOptimistically(gateway, call, ids());
  if (optimistic !== null && 'reply' in optimistic) return optimistic.reply;
  const { admitted, mayHaveRun } = optimistic ?? {
    admitted: await admit(gateway, key, frame),
    mayHaveRun: false,
  };
  const { rates } = admitted;
  const reply =
    'refusal' in admitted
      ? refusalReply(admitted.refusal)
      : await runAs(gateway, call, { caller: admitted.caller, ids: ids(), mayHaveRun });
  return rates ? { ...reply, rates } : reply;
}

interface Admission {
  readonly caller: Caller;
  /** The ids of the optimistic run again: what it made is met, not made twice. */
  readonly ids: Ids;
  readonly mayHaveRun: boolean;
}

async function runAs(
  gateway: Gateway,
  call: ApiCall,
  { caller, ids, mayHaveRun }: Admission,
): Promise<Reply> {
  const { body, header, frame, prepare } = call;
  call.onAdmitted(caller);
  if ('status' in body) return body;
  if (header === undefined) {
    return runAdmitted(gateway, prepare(caller, body, { ids }), { frame, mayHaveRun });
  }
  return runIdempotently(gateway, idempotentCall(call, { caller, body, header }), (made) =>
    runWanted(gateway, prepare(caller, body, made), { ...frame, keyed: true }),
  );
}

/** Null where the call is none that is asked before it is admitted. */
async function runOptimistically(
  gateway: Gateway,
  { key, body, header, frame, prepare }: ApiCall,
  ids: Ids,
): Promise<{ readonly reply: Reply } | NotRun | null> {
  if (header !== undefined || 'status' in body || key.caller === null) return null;
  const optimistic = prepare(key.caller, body, { ids });
  if (typeof optimistic === 'function' || optimistic.to !== 'actor') return null;
  return askWithAdmission(gateway, key, [optimistic, frame]);
}

/** A command that may have run optimistically is not refused: it is unknown what it did. */
async function runAdmitted(
  gateway: Gateway,
  wanted: Plan | Run,
  { frame, mayHaveRun }: { readonly frame: AskFrame; readonly mayHaveRun: boolean },
): Promise<Reply> {
  const isRefused = typeof wanted !== 'function' && wanted.to === 'caller';
  if (isRefused && mayHaveRun) return refusalReply(failure('fault'));
  return runWanted(gateway, wanted, { ...frame, mayHaveRun });
}

interface CallUnderKey {
  readonly caller: Caller;
  readonly body: ParsedBody;
  readonly header: string;
}

function idempotentCall(
  { route, ids, frame }: ApiCall,
  { caller, body, header }: CallUnderKey,
): IdempotentCall {
  const { orgId } = caller;
  const repeaterId = repeaterOf(caller);
  const withMedia = body.object !== null && wantsFile(body.object);
  const { requestId } = frame;
  return { header, orgId, repeaterId, route, body, ids, requestId, withMedia };
}

/**
 * The key, or the member behind a session: a message whose answer was lost would go twice if its
 * member signed in anew before the page repeats it.
 */
function repeaterOf({ member, keyId }: Caller): string {
  return member?.id ?? keyId;
}

/** Of its own, of its template's header, or of its fallback's. */
function wantsFile(body: Readonly<Record<string, unknown>>): boolean {
  const headers = [body.template, body.fallbackTemplate].map((template) =>
    isPlainObject(template) && isPlainObject(template.header) ? template.header : {},
  );
  return [body, ...headers].some(
    ({ mediaUrl, mediaId }) => mediaUrl !== undefined || mediaId !== undefined,
  );
}

/** Every call of the returned function starts from the first id again. */
function replayableIds(ids: Ids): () => Ids {
  const made: string[] = [];
  return () => {
    let at = 0;
    const fresh = (prefix: string): string => {
      const known = made[at];
      const id = known?.startsWith(`${prefix}_`) ? known : ids.fresh(prefix);
      made[at++] = id;
      return id;
    };
    return { ...ids, fresh };
  };
}

export interface AskFrame extends AdmittedCall, StreamCall {
  /** Whose call it is, empty for a network's: bodies in parts are bounded for each. */
  readonly orgId: string;
  /** The refusal while there is no connection. */
  readonly whenDisconnected: FailureKind;
  /** Under an `Idempotency-Key`: the command may be asked again for a day. */
  readonly keyed?: boolean;
  /** The command was asked before, and its answer is unknown. */
  readonly mayHaveRun?: boolean;
}

/** @throws when no answer arrives in time */
export async function ask(gateway: Gateway, plan: Plan, frame: AskFrame): Promise<Reply> {
  if (plan.to === 'caller') return refusalReply(plan.refusal);
  if (!gateway.bus.connected()) return refusalReply(failure(frame.whenDisconnected));
  if (plan.to === 'media') return readMedia(gateway, plan.payload, frame.requestId);
  if (plan.to === 'events') return gateway.eventStreams.open(plan.stream, frame);
  const withinMs = (plan.to === 'actor' ? plan.withinMs : undefined) ?? ASK_DEADLINE_MS;
  const options = {
    deadline: gateway.clock.now() + withinMs,
    requestId: frame.requestId,
  };
  if (plan.to === 'actor') {
    const given = {
      ...options,
      ...(frame.mayHaveRun ? { repeat: true } : {}),
      ...(plan.once ? { once: true } : {}),
    };
    return answerReply(await gateway.bus.ask(plan.address, commandOf(plan, frame), given));
  }
  const { resource, payload } = plan;
  return answerWithRest(gateway, frame, () => gateway.bus.query(resource, payload, options));
}

/** A call that is refused after an effect that stays was not refused as a whole. */
async function runWanted(gateway: Gateway, wanted: Plan | Run, frame: AskFrame): Promise<Reply> {
  let partiallyApplied = false;
  const asking: Ask = async (plan, { effectStays = false } = {}) => {
    const reply = await ask(gateway, plan, frame);
    if (effectStays && reply.status < 300) partiallyApplied = true;
    return reply;
  };
  const reply = await answered(wanted, asking);
  return partiallyApplied ? { ...reply, partiallyApplied } : reply;
}

function commandOf({ command }: ActorPlan, { keyed = false }: AskFrame): CommandOf {
  return keyed ? { ...command, lasting: true } : command;
}

/** The command was not run; one that was asked more than once may have run before. */
export interface NotRun {
  readonly admitted: Admitted;
  readonly mayHaveRun: boolean;
}

/**
 * Asks, with the call's admission in the same request. The result is the reply of the command that
 * ran, or the admission that stopped it (already counted).
 * @throws when no answer arrives in time
 */
async function askWithAdmission(
  gateway: Gateway,
  key: KnownKey,
  [plan, frame]: readonly [ActorPlan, AskFrame],
): Promise<{ readonly reply: Reply } | NotRun> {
  const answer = await gateway.bus.ask(plan.address, plan.command, {
    deadline: gateway.clock.now() + ASK_DEADLINE_MS,
    requestId: frame.requestId,
    admission: { orgId: key.orgId, command: admission(gateway, key, frame) },
  });
  const { admission: given } = answer;
  if (!given) return { reply: answerReply(answer) };
  const admitted = readAdmission(gateway, key, given);
  if (given.outcome === 'admitted') {
    return { reply: { ...answerReply(answer), rates: given.rates } };
  }
  const mayHaveRun = given.outcome === 'admitted-with-caller' && given.mayHaveRun === true;
  return { admitted, mayHaveRun };
}
