/**
 * Transmits a message that is journaled as `sending`, as text, as media or as content of another
 * kind. A network that requires an upload receives the file first (`uploads`). Elsewhere the file
 * is streamed by the send itself. A quoted message is named as the network knows it now: one that
 * was still queued has gone first.
 */
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { LOG_EVENT } from '../../../shared/log-events.ts';
import { MEDIA_KINDS } from '../../../shared/media.ts';
import type { StoredMessage } from '../../../shared/message.ts';
import type { MessageContent } from '../../../shared/message-content.ts';
import type { MediaRecord } from '../../../shared/ports/media.ts';
import type {
  NamedMessage,
  OutboundContent,
  OutboundMedia,
  OutboundText,
  SendOutcome,
} from '../../../shared/ports/network.ts';
import type { Store } from '../../model/collections.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { BatchContext, Sending } from './batch-context.ts';
import type { Upload } from './uploads.ts';

const STORE_WAIT_MS = 1_000;
const FILE_MISSING: SendOutcome = {
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
const HELD: SendOutcome = { outcome: 'later', scope: 'account', waitMs: STORE_WAIT_MS };

/** Sends the message, and reports what the answer says of the number and of templates. */
export async function send(context: BatchContext, sending: Sending): Promise<SendOutcome> {
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
  if (record === null) return FILE_MISSING;
  if ('outcome' in record) return record;
  const { upload } = driver;
  if (upload) return sendUploaded(context, referring, [record, (file) => upload(network, file)]);
  return sendStreamed(context, referring, mediaId);
}

/** A failure before the send has begun leads to a retry. */
async function sendStreamed(
  context: BatchContext,
  referring: Referring,
  mediaId: string,
): Promise<SendOutcome> {
  const begun: Promise<SendOutcome>[] = [];
  const streamed = await prepare(context, referring.sending, () =>
    context.environment.media.withFile(mediaId, async (file) => {
      begun.push(handOver(context, referring, { file }));
      await Promise.allSettled(begun);
      return FILE_MISSING;
    }),
  );
  const [sent] = begun;
  return sent ?? streamed ?? FILE_MISSING;
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
  if (uploaded === 'gone') return FILE_MISSING;
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
  if (!leaseHeld() || context.isClosed()) throw new Error('the lease ended before the send');
  // The number may have become another one since the mark.
  if (!context.readiness.maySend()) return HELD;
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

type Addressed = Omit<OutboundText, 'text'>;

/** The recipient and the ids of a message, as requests to the network name them. */
export function addressOf({ entry, send }: Sending): Addressed {
  const { networkId, contact } = entry.after;
  const { ownId, to = networkId ?? contact.phone } = send;
  return { messageId: entry._id, to, ...(ownId === undefined ? {} : { ownId }) };
}

/** The message that this one names: quoted, or reacted to. */
function referenceOf({ entry }: Sending): string | null {
  return entry.message?.replyToId ?? null;
}

/** Null where the network does not know the message: it failed, or was never sent. */
async function readReference(store: Store, entryId: string): Promise<NamedMessage | null> {
  const message = (await store.byId('entries', entryId))?.message;
  if (!message?.externalId) return null;
  const { externalId, fullId, direction } = message;
  const names = { externalId, ...(fullId === undefined ? {} : { fullId }) };
  return { ...names, fromMe: direction === 'out' };
}

/** With the quote; a message whose quoted one is unknown to the network goes without. */
function quoting(sending: Sending, quoted: NamedMessage | null): Addressed {
  if (quoted === null) return addressOf(sending);
  const { externalId, fullId = externalId, fromMe } = quoted;
  return { ...addressOf(sending), replyTo: fullId, quotesOwn: fromMe };
}

function mediaRequest(
  address: Addressed,
  { media, kind, text }: StoredMessage,
  content: OutboundMedia['content'],
): OutboundMedia {
  return {
    ...address,
    kind: mediaKindOf(kind),
    caption: text,
    mimeType: media?.mimeType ?? '',
    fileName: media?.fileName ?? null,
    content,
  };
}

function templateRequest(
  address: Addressed,
  { media, kind }: StoredMessage,
  named: {
    readonly content: Extract<MessageContent, { type: 'template' }>;
    readonly file: OutboundMedia['content'] | null;
  },
): OutboundContent {
  const { content, file } = named;
  const fileName = media?.fileName ?? null;
  const header = file && { kind: mediaKindOf(kind), fileName, content: file };
  return { ...address, ...content, ...(header ? { header } : {}) };
}

function mediaKindOf(kind: string): OutboundMedia['kind'] {
  return MEDIA_KINDS.find((each) => each === kind) ?? 'document';
}
