/**
 * Transmits messages that are journaled as `sending`, each as text or as media, and records the
 * network's answers. A network that requires an upload receives the file first (`uploads`).
 * Elsewhere the file is lent to the send itself.
 */
import { IN_DOUBT_SEND_WAIT_MS } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import { MEDIA_KINDS } from '../../shared/media.ts';
import type { MediaRecord } from '../../shared/ports/media.ts';
import type { OutboundMedia, OutboundText, SendOutcome } from '../../shared/ports/network.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { BatchContext, Sending } from './batch-context.ts';
import { recordOutcome } from './outcome.ts';
import type { Upload } from './uploads.ts';

const STORE_WAIT_MS = 1_000;
const GONE: SendOutcome = {
  outcome: 'refused',
  code: 'media_gone',
  reason: 'O arquivo da mensagem não existe mais.',
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
  const { attempt } = sending.send;
  const fields = { channelId: context.channelId, messageId, requestId, attempt };
  context.environment.log.info({ ...fields, ...logFields(outcome) }, LOG_EVENT.send);
  return outcome;
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
  const { network } = sending.configuration;
  const { media = null, text } = sending.entry.message ?? {};
  if (media !== null) return transmitMedia(context, sending, media.id);
  const driver = context.environment.networks.driver(network.provider);
  return driver.sendText(network, { ...addressOf(sending), text: text ?? '' });
}

/** The recipient and the ids of a message, as requests to the network name them. */
export function addressOf({ entry, send: { ownId } }: Sending): Omit<OutboundText, 'text'> {
  const { networkId, contact } = entry.after;
  const own = ownId === undefined ? {} : { ownId };
  return { messageId: entry._id, to: networkId ?? contact.phone, ...own };
}

async function transmitMedia(
  context: BatchContext,
  sending: Sending,
  mediaId: string,
): Promise<SendOutcome> {
  const { network } = sending.configuration;
  const driver = context.environment.networks.driver(network.provider);
  const record = await prepare(context, sending, () => context.environment.media.find(mediaId));
  if (record === null) return GONE;
  if ('outcome' in record) return record;
  const { upload } = driver;
  if (upload) return sendUploaded(context, sending, [record, (file) => upload(network, file)]);
  return sendLent(context, sending, mediaId);
}

/** A failure before the send has begun leads to a retry. */
async function sendLent(
  context: BatchContext,
  sending: Sending,
  mediaId: string,
): Promise<SendOutcome> {
  const begun: Promise<SendOutcome>[] = [];
  const lent = await prepare(context, sending, () =>
    context.environment.media.withFile(mediaId, async (file) => {
      begun.push(sendOne(context, sending, { file }));
      await Promise.allSettled(begun);
      return GONE;
    }),
  );
  const [sent] = begun;
  return sent ?? lent ?? GONE;
}

async function sendUploaded(
  context: BatchContext,
  sending: Sending,
  [record, upload]: readonly [MediaRecord, Upload],
): Promise<SendOutcome> {
  const uploaded = await prepare(context, sending, () =>
    context.uploads.ensureUploaded(record, upload),
  );
  if (uploaded === 'gone') return GONE;
  if (uploaded.outcome !== 'uploaded') return uploaded;
  const since = context.environment.clock.monotonic();
  const outcome = await sendOne(context, sending, { uploadId: uploaded.uploadId });
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

/** @throws when the lease has ended while the file was prepared */
async function sendOne(
  context: BatchContext,
  sending: Sending,
  content: OutboundMedia['content'],
): Promise<SendOutcome> {
  const { network } = sending.configuration;
  const { leaseHeld, networks } = context.environment;
  if (!leaseHeld() || context.closed) throw new Error('the lease ended before the send');
  const { media, kind, text = null } = sending.entry.message ?? {};
  return networks.driver(network.provider).sendMedia(network, {
    ...addressOf(sending),
    kind: MEDIA_KINDS.find((each) => each === kind) ?? 'document',
    caption: text,
    mimeType: media?.mimeType ?? '',
    fileName: media?.fileName ?? null,
    content,
  });
}
