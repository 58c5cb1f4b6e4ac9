/**
 * What a message is to carry, made ready before it is accepted (decisions: `mediaUrl`): a caller's
 * URL is downloaded, a library file looked up. Answered beside the mailbox; nothing is kept of what
 * is refused.
 */

import { type Failure, failure, invalid, renderFailure } from '../../shared/failures.ts';
import { downloadMaxBytes, mediaKindOf, mediaOf, plainMime } from '../../shared/media.ts';
import type { FetchedMedia, FetchMedia } from '../../shared/media-commands.ts';
import type { Answer } from '../../shared/ports.ts';
import { contentId } from '../../shared/provisioning/names.ts';
import { SENTENCES } from '../../shared/schemas/sentences.ts';
import type { Provider } from '../../shared/vocabulary.ts';
import { readOrganization } from '../organization/documents.ts';
import type { Desk } from './desk.ts';

type Fetched = FetchedMedia | { readonly refusal: Failure };

export async function fetchMedia(desk: Desk, command: FetchMedia): Promise<Answer> {
  const configuration = await desk.configuration();
  if (configuration?.orgId !== command.orgId) {
    return renderFailure(failure('channel_not_found'));
  }
  const { provider } = configuration.network;
  const { from } = command;
  const fetched =
    'url' in from
      ? await fromUrl(desk, command, { url: from.url, provider })
      : await fromLibrary(desk, command, { fileId: from.fileId, provider });
  if ('refusal' in fetched) return renderFailure(fetched.refusal);
  return { status: 200, body: JSON.stringify(fetched) };
}

async function fromUrl(
  { world, channelId }: Desk,
  { orgId, mediaId, captionedBy }: FetchMedia,
  { url, provider }: { readonly url: string; readonly provider: Provider },
): Promise<Fetched> {
  const kindOf = (file: { mimeType: string; sizeBytes: number }) =>
    mediaKindOf(provider, file, captionedBy !== null);
  // Asked again after a crash: what was downloaded then is what is sent.
  const known = await world.media.find(mediaId);
  if (known) return { kind: kindOf(known), media: mediaOf(known) };
  const maxBytes = (mimeType: string) => downloadMaxBytes(provider, mimeType);
  const download = await world.media.fetch(url, { orgId, maxBytes });
  if (!download.downloaded) {
    return { refusal: invalid({ path: 'mediaUrl', message: download.reason }) };
  }
  const { mimeType, bytes } = download.file;
  const kind = kindOf({ mimeType, sizeBytes: bytes.length });
  const refusal = refuseCaption(kind, captionedBy);
  if (refusal) return { refusal };
  const kept = await world.media.keep(mediaId, { orgId, channelId }, download.file);
  return { kind, media: mediaOf(kept) };
}

/** The file as it is now: a message that was accepted keeps its content, whatever is applied. */
async function fromLibrary(
  { world, channelId }: Desk,
  { orgId, captionedBy }: FetchMedia,
  { fileId, provider }: { readonly fileId: string; readonly provider: Provider },
): Promise<Fetched> {
  const organization = await readOrganization(world.store, orgId, ['files']);
  const file = organization?.files.find((each) => each.id === fileId && each.removed !== true);
  if (!file) return { refusal: failure('file_not_found') };
  const { name: fileName, sizeBytes, contentDigest: digest } = file;
  const mimeType = plainMime(file.mimeType);
  const kind = mediaKindOf(provider, { mimeType, sizeBytes }, captionedBy !== null);
  const refusal = refuseCaption(kind, captionedBy);
  if (refusal) return { refusal };
  const content = { contentId: contentId(fileId, digest), mimeType, fileName, sizeBytes, digest };
  const id = world.ids.derive('med', channelId, content.contentId, fileName, mimeType);
  const adopted = await world.media.adopt(id, { orgId, channelId }, content);
  return { kind, media: mediaOf(adopted) };
}

function refuseCaption(
  kind: FetchedMedia['kind'],
  captionedBy: FetchMedia['captionedBy'],
): Failure | null {
  if (kind !== 'audio' || captionedBy === null) return null;
  return invalid({ path: captionedBy, message: SENTENCES.audioCaption });
}
