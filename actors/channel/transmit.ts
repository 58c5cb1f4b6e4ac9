/**
 * Transmits messages that are journaled as `sending`, each as text, as media or as content of
 * another kind, and records the network's answers. A network that requires an upload receives the
 * file first (`uploads`). Elsewhere the file is lent to the send itself.
 */
import { SENTENCES } from '../../shared/api/sentences.ts';
import { IN_DOUBT_SEND_WAIT_MS } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { MediaRecord } from '../../shared/ports/media.ts';
import type { NamedMessage, OutboundMedia, SendOutcome } from '../../shared/ports/network.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { BatchContext, Sending } from './batch-context.ts';
import {
  addressOf,
  mediaRequest,
  quoting,
  readReference,
  referenceOf,
  templateRequest,
} from './outbound-request.ts';
import { recordOutcome } from './outcome.ts';
import { passesSecondLook } from './second-look.ts';
import type { Upload } from './uploads.ts';

const STORE_WAIT_MS = 1_000;
const GONE: SendOutcome = {
  outcome: 'refused',
  code: 'media_gone',
  reason: 'O arquivo da mensagem não existe mais.',
};
const UNKNOWN_TARGET: SendOutcome = {
  outcome: 'refused',
  code: 'target_unknown',
  reason: SENTENCES.notOnNetwork,
};
/** Nothing was sent: the send is retried. */
const RETRY_LATER: SendOutcome = { outcome: 'later', scope: 'pair', waitMs: STORE_WAIT_MS };

/** Returns at once; the message's queue receives the result later. */
export function startSend(context: BatchContext, sending: Sending): void {
  sending.queue.inFlight = sendAndRecord(context, sending);
}

/** Never rejects. */
async function sendAndRecord(context: BatchContext, sending: Sending): Promise<void> {
  const { queue, entry } = sending;
  const { log, leaseHeld } = context.environment;
  // If the lease has ended since the mark, the next owner resolves the message.
  if (!leaseHeld() || context.closed) {
    return context.onResult(queue, { result: 'ambiguous', waitMs: IN_DOUBT_SEND_WAIT_MS });
  }
  if (!(await passesSecondLook(context, sending))) return;
  try {
    await recordOutcome(context, sending, await send(context, sending));
  } catch (fault) {
    log.error({ messageId: entry._id, error: describe(fault) }, 'a send failed');
    context.onResult(queue, { result: 'ambiguous', waitMs: IN_DOUBT_SEND_WAIT_MS });
  }
}

async function send(context: BatchContext, sending: Sending): Promise<SendOutcome> {
  const { conversationId, requestId, _id: messageId } = sending.entry;
  context.sent.keep(messageId, { conversationId, messageId });
  context.inDoubt.add(messageId);
  const outcome = await transmit(context, sending);
  const revision = sending.configuration.entry.networkRevision;
  context.readiness.recordSend(conversationId, revision, outcome);
  if (outcome.outcome === 'refused' && outcome.aboutTemplate) void readTemplates(context);
  const { attempt, since: markedAt } = sending.send;
  const fields = { channelId: context.channelId, messageId, requestId, attempt, markedAt };
  context.environment.log.info({ ...fields, ...logFields(outcome) }, LOG_EVENT.send);
  return outcome;
}

/** Never rejects: the outcome of the send is recorded whatever becomes of it. */
async function readTemplates({ environment, onTemplatesChanged }: BatchContext): Promise<void> {
  try {
    await onTemplatesChanged();
  } catch (fault) {
    environment.log.warn({ error: describe(fault) }, 'templates not asked for');
  }
}

function logFields(outcome: SendOutcome): Readonly<Record<string, unknown>> {
  return {
    outcome: outcome.outcome,
    ...(outcome.outcome === 'refused' ? { code: outcome.code } : {}),
    ...(outcome.outcome === 'later' ? { scope: outcome.scope } : {}),
    ...('cause' in outcome && outcome.cause !== undefined ? { cause: outcome.cause } : {}),
    ...('fault' in outcome && outcome.fault !== undefined ? { fault: outcome.fault.kind } : {}),
    ...('channelReason' in outcome ? { reason: outcome.channelReason } : {}),
  };
}

async function transmit(context: BatchContext, sending: Sending): Promise<SendOutcome> {
  const { media = null } = sending.entry.message ?? {};
  const named = referenceOf(sending);
  const { store } = context.environment;
  const reference =
    named === null ? null : await prepare(context, sending, () => readReference(store, named));
  if (reference !== null && 'outcome' in reference) return reference;
  const referring = { sending, reference };
  if (media !== null) return transmitMedia(context, referring, media.id);
  return handOver(context, referring, null);
}

/** A message with the one that it quotes or reacts to; null: none that the network knows. */
interface Referring {
  readonly sending: Sending;
  readonly reference: NamedMessage | null;
}

async function transmitMedia(
  context: BatchContext,
  referring: Referring,
  mediaId: string,
): Promise<SendOutcome> {
  const { sending } = referring;
  const { network } = sending.configuration;
  const driver = context.environment.networks.driver(network.provider);
  const record = await prepare(context, sending, () => context.environment.media.find(mediaId));
  if (record === null) return GONE;
  if ('outcome' in record) return record;
  const { upload } = driver;
  if (upload) return sendUploaded(context, referring, [record, (file) => upload(network, file)]);
  return sendLent(context, referring, mediaId);
}

/** A failure before the send has begun leads to a retry. */
async function sendLent(
  context: BatchContext,
  referring: Referring,
  mediaId: string,
): Promise<SendOutcome> {
  const begun: Promise<SendOutcome>[] = [];
  const lent = await prepare(context, referring.sending, () =>
    context.environment.media.withFile(mediaId, async (file) => {
      begun.push(handOver(context, referring, { file }));
      await Promise.allSettled(begun);
      return GONE;
    }),
  );
  const [sent] = begun;
  return sent ?? lent ?? GONE;
}

async function sendUploaded(
  context: BatchContext,
  referring: Referring,
  [record, upload]: readonly [MediaRecord, Upload],
): Promise<SendOutcome> {
  const { sending } = referring;
  const uploaded = await prepare(context, sending, () =>
    context.uploads.ensureUploaded(record, upload),
  );
  if (uploaded === 'gone') return GONE;
  if (uploaded.outcome !== 'uploaded') return uploaded;
  const since = context.environment.clock.monotonic();
  const outcome = await handOver(context, referring, { uploadId: uploaded.uploadId });
  if (outcome.outcome === 'accepted') context.uploads.recordAccepted(uploaded);
  if (outcome.outcome !== 'refused' || outcome.aboutMedia !== true) return outcome;
  const refused = { messageId: sending.entry._id, uploaded, since };
  return (await context.uploads.mayRetry(record, refused)) ? RETRY_LATER : outcome;
}

/** Runs a step that precedes the send: a failure leads to a retry. */
async function prepare<T>(
  context: BatchContext,
  { entry }: Sending,
  run: () => Promise<T>,
): Promise<T | typeof RETRY_LATER> {
  try {
    return await run();
  } catch (fault) {
    const fields = { messageId: entry._id, error: describe(fault) };
    context.environment.log.warn(fields, LOG_EVENT.fileUnready);
    return RETRY_LATER;
  }
}

/** @throws when the lease has ended while the message was prepared */
async function handOver(
  context: BatchContext,
  { sending, reference }: Referring,
  file: OutboundMedia['content'] | null,
): Promise<SendOutcome> {
  const { network } = sending.configuration;
  const { leaseHeld, networks } = context.environment;
  if (!leaseHeld() || context.closed) throw new Error('the lease ended before the send');
  const driver = networks.driver(network.provider);
  const { message } = sending.entry;
  const { content, text = null } = message ?? {};
  if (content?.type === 'reaction') {
    const reaction = { type: 'reaction', emoji: content.reaction.emoji } as const;
    if (reference === null) return UNKNOWN_TARGET;
    return driver.sendContent(network, { ...addressOf(sending), ...reaction, target: reference });
  }
  const address = quoting(sending, reference);
  if (message && content?.type === 'template') {
    return driver.sendContent(network, templateRequest(address, message, { content, file }));
  }
  if (content && content.type !== 'answer' && content.type !== 'template') {
    return driver.sendContent(network, { ...address, ...content });
  }
  if (message && file) return driver.sendMedia(network, mediaRequest(address, message, file));
  return driver.sendText(network, { ...address, text: text ?? '' });
}
