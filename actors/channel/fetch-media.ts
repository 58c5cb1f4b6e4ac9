/**
 * Fetches the media of a message before the message is accepted (D15). It downloads a caller's URL
 * or finds a library file, as a shared handler.
 *
 * 1. A message that can be refused without its file is refused before the download (D128).
 * 2. Nothing is kept of a file that is refused here.
 */
import { SENTENCES } from '../../shared/api/sentences.ts';
import { type Failure, failure, invalid, renderFailure } from '../../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import { downloadMaxBytes, mediaKindOf, mediaOf, plainMime } from '../../shared/media.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import { contentId } from '../../shared/provisioning/names.ts';
import type { Provider } from '../../shared/vocabulary.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { FetchedMedia } from '../../shared/wire/fetched-media.ts';
import type { FetchMedia, FromLibrary, FromUrl } from '../../shared/wire/media-commands.ts';
import { readOrganization } from '../organization/read-organization.ts';
import type { Channel } from './channel.ts';

type FetchingChannel = Pick<Channel, 'channelId' | 'environment' | 'configuration'>;

type FileFacts = { readonly mimeType: string; readonly sizeBytes: number };
/** `Answer`: the refusal of the conversation's owner. */
type Fetched = FetchedMedia | Answer | { readonly refusal: Failure };

export async function fetchMedia(channel: FetchingChannel, command: FetchMedia): Promise<Answer> {
  const configuration = await channel.configuration();
  if (configuration?.orgId !== command.orgId) return renderFailure(failure('channel_not_found'));
  const { provider } = configuration.network;
  const { from } = command;
  const fetched =
    'url' in from
      ? await fromUrl(channel, command, { from, provider })
      : await fromLibrary(channel, command, { from, provider });
  if ('status' in fetched) return fetched;
  if ('refusal' in fetched) return renderFailure(fetched.refusal);
  return answerOf(fetched);
}

async function fromUrl(
  channel: FetchingChannel,
  { orgId, mediaId, captionedBy }: FetchMedia,
  { from, provider }: { readonly from: FromUrl; readonly provider: Provider },
): Promise<Fetched> {
  const { environment, channelId } = channel;
  const { url, path, messageId: entryId } = from;
  const reason = environment.media.refuse(url);
  if (reason !== null) return { refusal: invalid({ path, message: reason }) };
  const refused = await refusedByOwner(channel, from);
  if (refused) return refused;
  const kindOf = (file: FileFacts) => mediaKindOf(provider, file, captionedBy !== null);
  let refusal: Failure | null = null;
  const request = {
    url,
    maxBytes: (mimeType: string) => downloadMaxBytes(provider, mimeType),
    accepts: (file: FileFacts) => {
      refusal = refuseCaption(kindOf(file), captionedBy);
      return refusal === null;
    },
  };
  // A repeat after a crash finds the earlier download and sends that content.
  const download = await environment.media.fetch(mediaId, { orgId, channelId, entryId }, request);
  if (!download.downloaded) {
    return { refusal: refusal ?? invalid({ path, message: download.reason ?? '' }) };
  }
  return { kind: kindOf(download.media), media: mediaOf(download.media) };
}

/** Asks before the download whether the conversation would accept the message; null: it would. */
async function refusedByOwner(
  { environment }: FetchingChannel,
  { target }: FromUrl,
): Promise<Answer | null> {
  if (target === null) return null;
  const { conversationId: key, check } = target;
  const deadline = environment.clock.now() + ASK_DEADLINE_MS;
  const answer = await environment.bus.ask({ kind: 'conversation', key }, check, { deadline });
  return answer.status === 200 ? null : answer;
}

/** The present version of the file. An accepted message keeps its content through later applies. */
async function fromLibrary(
  channel: FetchingChannel,
  command: FetchMedia,
  { from, provider }: { readonly from: FromLibrary; readonly provider: Provider },
): Promise<Fetched> {
  const { environment, channelId } = channel;
  const { orgId, captionedBy } = command;
  const { fileId } = from;
  const organization = await readOrganization(environment.store, orgId, ['files']);
  const file = organization?.files.find((each) => each.id === fileId && each.removed !== true);
  if (!file) return uploaded(channel, command, { from, provider });
  const { name: fileName, sizeBytes, contentDigest: digest } = file;
  const mimeType = plainMime(file.mimeType);
  const kind = mediaKindOf(provider, { mimeType, sizeBytes }, captionedBy !== null);
  const refusal = refuseCaption(kind, captionedBy);
  if (refusal) return { refusal };
  const content = { contentId: contentId(fileId, digest), mimeType, fileName, sizeBytes, digest };
  const id = environment.ids.derive('med', channelId, content.contentId, fileName, mimeType);
  const adopted = await environment.media.adopt(id, { orgId, channelId }, content);
  return { kind, media: mediaOf(adopted) };
}

/** A file that a member has uploaded belongs to the channel that first sends it. */
async function uploaded(
  { environment, channelId }: FetchingChannel,
  { orgId, captionedBy }: FetchMedia,
  { from, provider }: { readonly from: FromLibrary; readonly provider: Provider },
): Promise<Fetched> {
  const { fileId, messageId: entryId } = from;
  const place = entryId === undefined ? null : { orgId, channelId, entryId };
  const media = place && (await environment.media.claim(fileId, place));
  if (!media) return { refusal: failure('file_not_found') };
  const kind = mediaKindOf(provider, media, captionedBy !== null);
  const refusal = refuseCaption(kind, captionedBy);
  return refusal ? { refusal } : { kind, media: mediaOf(media) };
}

function refuseCaption(
  kind: FetchedMedia['kind'],
  captionedBy: FetchMedia['captionedBy'],
): Failure | null {
  if (kind !== 'audio' || captionedBy === null) return null;
  return invalid({ path: captionedBy, message: SENTENCES.audioCaption });
}
