/**
 * Three ways to execute a call whose key and body were read.
 *
 * 1. Optimistically: the cached caller's command is asked at once, with the admission on board.
 * 2. Admitted: the organization's owner admits the call first, then its plan is run.
 * 3. Idempotently: an admitted call under an `Idempotency-Key` (`idempotency.ts`).
 */
import { failure } from '../shared/failures.ts';
import type { Ids } from '../shared/ports/ids.ts';
import type { Caller } from '../shared/wire/caller.ts';
import { admit } from './admit.ts';
import { type AskFrame, askWithAdmission, type NotRun, runPlan } from './ask.ts';
import type { Gateway, KnownKey } from './gateway.ts';
import { type IdempotentCall, runIdempotently } from './idempotency.ts';
import type { ParsedBody } from './parse.ts';
import { replayableIds } from './replayable-ids.ts';
import { type Reply, refusalReply } from './reply.ts';
import type { Plan, Sequence } from './route.ts';

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
  readonly plan: (caller: Caller, body: ParsedBody, ids: Ids) => Plan | Sequence;
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
    admitted: await admit(gateway, key, frame.requestId),
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
  const { body, header, frame, plan } = call;
  call.onAdmitted(caller);
  if ('status' in body) return body;
  if (header === undefined) {
    return runAdmitted(gateway, plan(caller, body, ids), { frame, mayHaveRun });
  }
  return runIdempotently(gateway, idempotentCall(call, { caller, body, header }), (callIds) =>
    runPlan(gateway, plan(caller, body, callIds), { ...frame, keyed: true }),
  );
}

/** Null where the call is none that is asked before it is admitted. */
async function runOptimistically(
  gateway: Gateway,
  { key, body, header, frame, plan }: ApiCall,
  ids: Ids,
): Promise<{ readonly reply: Reply } | NotRun | null> {
  if (header !== undefined || 'status' in body || key.caller === null) return null;
  const optimistic = plan(key.caller, body, ids);
  if (optimistic.to !== 'actor') return null;
  return askWithAdmission(gateway, key, [optimistic, frame.requestId]);
}

/** A command that may have run optimistically is not refused: it is unknown what it did. */
async function runAdmitted(
  gateway: Gateway,
  plan: Plan | Sequence,
  { frame, mayHaveRun }: { readonly frame: AskFrame; readonly mayHaveRun: boolean },
): Promise<Reply> {
  if (plan.to === 'caller' && mayHaveRun) return refusalReply(failure('fault'));
  return runPlan(gateway, plan, frame);
}

interface AdmittedCall {
  readonly caller: Caller;
  readonly body: ParsedBody;
  readonly header: string;
}

function idempotentCall(
  { route, ids, frame }: ApiCall,
  { caller, body, header }: AdmittedCall,
): IdempotentCall {
  const { orgId, keyId } = caller;
  const { object, bytes } = body;
  const withMedia = object?.mediaUrl !== undefined || object?.mediaId !== undefined;
  return { header, orgId, keyId, route, bytes, ids, requestId: frame.requestId, withMedia };
}
