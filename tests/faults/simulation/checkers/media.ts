/**
 * Media (I1, I2): a message is stored with the requested file, and the network gets just that file.
 * A contact's file is kept if the network had it long enough.
 */

import { sentBy } from '../outside/network-media.ts';
import { LIBRARY_FILE } from '../outside/simulated-media.ts';
import { byText, type Checker } from './evidence.ts';

export const mediaIsAsAsked: Checker = ({ history, entries, transmissions, media: files }) => {
  const stored = byText(entries);
  const given = Map.groupBy(transmissions, ({ text }) => text);
  return history.flatMap(({ request }) => {
    if (request.mediaUrl === undefined && request.mediaId === undefined) return [];
    const text = String(request.text);
    const [entry] = stored.get(text) ?? [];
    if (!entry) return [];
    const { id = '' } = entry.message?.media ?? {};
    const kept = files.get(id);
    if (kept === undefined) return [`${text} was stored without its file`];
    // A URL may return another file at every download: the file must be one that it returned.
    const isAsked = request.mediaUrl
      ? kept.startsWith(`${String(request.mediaUrl)} `)
      : isTable(kept);
    const others = (given.get(text) ?? []).filter(
      ({ content, accepted }) => accepted !== null && content !== kept,
    );
    return [
      ...(isAsked ? [] : [`${text} was stored with ${kept}`]),
      ...others.map(
        ({ content }) => `${text} was given to the network with ${content}, not ${kept}`,
      ),
    ];
  });
};

function isTable(content: string): boolean {
  return Buffer.byteLength(content) === LIBRARY_FILE.sizeBytes && content.startsWith('tabela');
}

export const arrivedMediaIsThere: Checker = ({ history, entries, media: files, gone }) => {
  const stored = new Map(entries.map((entry) => [entry.externalId, entry]));
  return history.flatMap(({ operation, outcome, request }) => {
    if (operation !== 'network-media' || outcome !== 'done') return [];
    const name = String(request.externalId);
    const entry = stored.get(name);
    if (entry?.mediaDue) return [`the file of ${name} is still due`];
    const media = entry?.message?.media ?? null;
    if (media === null) return gone.has(name) ? [] : [`the file of ${name} did not come`];
    const kept = files.get(media.id);
    return kept === sentBy(name) ? [] : [`${name} came with ${kept ?? 'no file'}`];
  });
};
