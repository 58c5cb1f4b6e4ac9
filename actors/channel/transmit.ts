/**
 * Transmits one message to the driver, as text or as media. A network that requires an upload
 * receives the file first (`uploads`). Elsewhere the file is lent to the send itself.
 */
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { MediaKind, MediaRecord } from '../../shared/media.ts';
import { MEDIA_KINDS } from '../../shared/media.ts';
import type { OutboundMedia, SendOutcome } from '../../shared/ports/network.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { BatchContext, Sending } from './batch-context.ts';
import { refusesMedia, type Upload, type UploadResult } from './uploads.ts';

const STORE_WAIT_MS = 1_000;
const GONE: SendOutcome = {
  outcome: 'refused',
  code: 'media_gone',
  reason: 'O arquivo da mensagem não existe mais.',
};
/** Nothing was sent: the send is retried. */
const RETRY_LATER: SendOutcome = { outcome: 'later', scope: 'pair', waitMs: STORE_WAIT_MS };

export async function transmit(context: BatchContext, sending: Sending): Promise<SendOutcome> {
  const { entry, configuration } = sending;
  const { network } = configuration;
  const media = entry.message?.media ?? null;
  if (media !== null) return transmitMedia(context, sending, media.id);
  return context.environment.networks.driver(network.provider).sendText(network, {
    messageId: entry._id,
    to: addressOf(sending),
    text: entry.message?.text ?? '',
    ...ownIdIn(sending),
  });
}

function ownIdIn({ send: { ownId } }: Sending): { readonly ownId?: string } {
  return ownId === undefined ? {} : { ownId };
}

function addressOf({ entry }: Sending): string {
  return entry.after.networkId ?? entry.after.contact.phone;
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
  const uploading = (): Promise<UploadResult> => context.uploads.ensureUploaded(record, upload);
  const uploaded = await prepare(context, sending, uploading);
  if (uploaded === 'gone') return GONE;
  if (uploaded.outcome !== 'uploaded') return uploaded;
  const since = context.environment.clock.monotonic();
  const outcome = await sendOne(context, sending, { uploadId: uploaded.uploadId });
  if (outcome.outcome === 'accepted') context.uploads.recordAccepted(uploaded);
  if (!refusesMedia(outcome)) return outcome;
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
  const { entry, configuration } = sending;
  const { network } = configuration;
  if (!context.environment.leaseHeld() || context.closed)
    throw new Error('the lease ended before the send');
  const media = entry.message?.media;
  return context.environment.networks.driver(network.provider).sendMedia(network, {
    messageId: entry._id,
    to: addressOf(sending),
    kind: kindOf(entry.message?.kind),
    caption: entry.message?.text ?? null,
    mimeType: media?.mimeType ?? '',
    fileName: media?.fileName ?? null,
    content,
    ...ownIdIn(sending),
  });
}

function kindOf(kind: string | undefined): MediaKind {
  return MEDIA_KINDS.find((each) => each === kind) ?? 'document';
}
