/**
 * Hands one message to the driver, as the text or the media that it is. A file that the network
 * wants first is uploaded once per channel and content, and known by its name there for 29 days.
 */
import { UPLOAD_KEPT_MS } from '../../shared/limits.ts';
import type { MediaKind, MediaRecord } from '../../shared/media.ts';
import { MEDIA_KINDS } from '../../shared/media.ts';
import type { StoredMedia } from '../../shared/message.ts';
import type {
  OutboundFile,
  OutboundMedia,
  SendOutcome,
  UploadOutcome,
} from '../../shared/network.ts';
import type { Document } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';
import { sweepAway } from '../runtime/sweep.ts';
import type { DeskWorld } from './configuration.ts';
import type { RoundDesk, Sending } from './round.ts';

const UPLOADS = 'uploads';
const STORE_WAIT_MS = 1_000;
const GONE: SendOutcome = {
  outcome: 'refused',
  code: 'media_gone',
  reason: 'O arquivo da mensagem não existe mais.',
};
/** Nothing was sent: it is tried again. */
const AGAIN: SendOutcome = { outcome: 'later', scope: 'pair', waitMs: STORE_WAIT_MS };

interface UploadDocument extends Document {
  readonly uploadId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export async function transmit(desk: RoundDesk, sending: Sending): Promise<SendOutcome> {
  const { entry, configuration } = sending;
  const { network } = configuration;
  const to = entry.after.networkId ?? entry.after.contact.phone;
  const media = entry.message?.media ?? null;
  if (media !== null) return transmitMedia(desk, sending, { media, to });
  return desk.world.networks.driver(network.provider).sendText(network, {
    messageId: entry._id,
    to,
    text: entry.message?.text ?? '',
  });
}

async function transmitMedia(
  desk: RoundDesk,
  sending: Sending,
  { media, to }: { readonly media: StoredMedia; readonly to: string },
): Promise<SendOutcome> {
  const { entry, configuration } = sending;
  const { network } = configuration;
  const driver = desk.world.networks.driver(network.provider);
  const ready = await contentOf(desk, sending, media.id);
  if ('outcome' in ready) return ready;
  // Bytes take their time: the lease may have ended meanwhile.
  if (!desk.world.alive() || desk.closed) throw new Error('the lease ended before the send');
  const outcome = await driver.sendMedia(network, {
    messageId: entry._id,
    to,
    kind: kindOf(entry.message?.kind),
    caption: entry.message?.text ?? null,
    mimeType: media.mimeType,
    fileName: media.fileName,
    content: ready.content,
  });
  const stale = outcome.outcome === 'refused' && outcome.aboutMedia === true;
  if (!stale || ready.knownUpload === undefined) return outcome;
  return (await forgetUpload(desk.world, ready.knownUpload)) ? AGAIN : outcome;
}

function kindOf(kind: string | undefined): MediaKind {
  return MEDIA_KINDS.find((each) => each === kind) ?? 'document';
}

interface Ready {
  readonly content: OutboundMedia['content'];
  /** The upload of an earlier message that is used again. */
  readonly knownUpload?: string;
}

async function contentOf(
  desk: RoundDesk,
  { configuration, entry }: Sending,
  mediaId: string,
): Promise<Ready | SendOutcome> {
  const { media, networks, log } = desk.world;
  const { network } = configuration;
  const driver = networks.driver(network.provider);
  try {
    const record = await media.find(mediaId);
    if (!record) return GONE;
    const name = uploadName(desk.channelId, record);
    const known = driver.upload ? await findUpload(desk.world, name) : null;
    if (known) return { content: { uploadId: known }, knownUpload: name };
    const bytes = await media.open(mediaId);
    if (!bytes) return GONE;
    if (!driver.upload) return { content: { bytes } };
    const { mimeType, fileName } = record;
    const file: OutboundFile = { bytes, mimeType, fileName };
    const uploaded: UploadOutcome = await driver.upload(network, file);
    if (uploaded.outcome !== 'uploaded') return uploaded;
    await keepUpload(desk.world, name, uploaded.uploadId);
    return { content: { uploadId: uploaded.uploadId } };
  } catch (fault) {
    log.warn({ messageId: entry._id, error: describe(fault) }, 'a file could not be made ready');
    return AGAIN;
  }
}

function uploadName(channelId: string, { digest, mimeType, fileName }: MediaRecord): string {
  return `${channelId}/${digest}/${mimeType}/${fileName ?? ''}`;
}

async function findUpload({ store, clock }: DeskWorld, name: string): Promise<string | null> {
  const known = await store.findOne<UploadDocument>(UPLOADS, { _id: name });
  return known && known.at > clock.now() - UPLOAD_KEPT_MS ? known.uploadId : null;
}

/** Losing it only costs an upload. */
async function keepUpload(
  { store, clock }: DeskWorld,
  name: string,
  uploadId: string,
): Promise<void> {
  const change = { $set: { uploadId, at: clock.now() } };
  await store.commit([{ update: UPLOADS, filter: { _id: name }, change, upsert: true }]);
}

/** True when it is forgotten: the next try uploads anew. */
async function forgetUpload({ store, log }: DeskWorld, name: string): Promise<boolean> {
  try {
    const [removed] = await store.commit([{ remove: UPLOADS, filter: { _id: name } }]);
    return removed?.ok === true;
  } catch (fault) {
    log.warn({ error: describe(fault) }, 'a stale upload could not be forgotten');
    return false;
  }
}

/** Forgets those that the network has forgotten. */
export async function sweepUploads({
  store,
  clock,
}: Pick<DeskWorld, 'store' | 'clock'>): Promise<void> {
  const before = clock.now() - UPLOAD_KEPT_MS;
  await sweepAway(store, { collection: UPLOADS, filter: { at: { $lt: before } } });
}
