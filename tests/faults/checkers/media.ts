/**
 * Media (I1, I2): a message is stored with the requested file, and the network gets just that file.
 * A contact's file is kept if the network had it long enough.
 */
import { reportedMediaId } from '../../../shared/entity-ids.ts';
import { type Checker, callsOf, fromStore, grouped, outOf } from './checker.ts';
import type { History } from './history.ts';

const mediaIsAsAsked = fromStore((store, history) => {
  const stored = grouped(outOf(history), ({ text }) => text ?? '');
  const given = grouped(history.transmissions, ({ text }) => text);
  const library = libraryOf(history);
  return history.calls.flatMap(({ request: { text = '', mediaUrl, mediaId } }) => {
    const [message] = stored.of(text);
    if (!message || text === '' || (mediaUrl ?? mediaId) === undefined) return [];
    const kept = store.files.get(message.file ?? '');
    if (kept === undefined) return [`${text} was stored without its file`];
    // A URL may return another file at every download: the file must be one that it returned.
    const isAsked = mediaUrl
      ? kept.startsWith(`${mediaUrl} `)
      : kept === (library.get(mediaId ?? '') ?? store.libraryFile);
    const others = given.of(text).filter(({ content, taken }) => taken && content !== kept);
    return [
      ...(isAsked ? [] : [`${text} was stored with ${kept}`]),
      ...others.map(
        ({ content }) => `${text} was given to the network with ${content}, not ${kept}`,
      ),
    ];
  });
});

const arrivedMediaIsThere = fromStore((store, history) => {
  const stored = new Map(history.messages.map((message) => [message.externalId, message]));
  return callsOf(history, 'inbound').flatMap(({ outcome, request }) => {
    const { externalId: name = '', mediaId: sent } = request;
    if (outcome !== 'ok' || sent === undefined) return [];
    const { file = null, fileIsDue } = stored.get(name) ?? {};
    if (fileIsDue) return [`the file of ${name} is still due`];
    if (file === null) return store.gone.has(name) ? [] : [`the file of ${name} did not come`];
    const kept = store.files.get(file);
    return kept === sent ? [] : [`${name} came with ${kept ?? 'no file'}`];
  });
});

/** Texts of the files that callers have added, by their ids. */
function libraryOf(history: History): ReadonlyMap<string, string> {
  return new Map(
    callsOf(history, 'add-file').flatMap(({ answer, request: { file } }) =>
      answer?.id === undefined || file === undefined ? [] : [[answer.id, file] as const],
    ),
  );
}

/** A file that was added is there until it is removed, and no other. */
const libraryIsAsAnswered = fromStore(({ library }, history) => {
  if (!library) return [];
  const removals = grouped(callsOf(history, 'remove-file'), ({ request }) => {
    return request.removedId ?? '';
  });
  return [...libraryOf(history)].flatMap(([id, text]) => {
    const asked = removals.of(id);
    const isRemoved = asked.some(({ outcome }) => outcome === 'ok');
    if (isRemoved && library.has(id)) return [`${text} (${id}) was removed and is there`];
    const mayBeGone = asked.some(({ outcome }) => outcome !== 'refused');
    return library.has(id) || mayBeGone ? [] : [`${text} (${id}) was added and is not there`];
  });
});

/** Others may be of calls without an answer: one each. */
const nothingElseIsInTheLibrary = fromStore(({ library }, history) => {
  if (!library) return [];
  const known = libraryOf(history);
  const others = [...library].filter((id) => !known.has(id)).length - 1;
  const unanswered = callsOf(history, 'add-file').filter(({ outcome }) => outcome === 'unknown');
  return others > unanswered.length
    ? [`${others} files more are in the library, of ${unanswered.length} calls without an answer`]
    : [];
});

/** The file of a contact's message has its id from the beginning, whether it comes or not. */
const eventsNameTheFile = fromStore((_store, history) => {
  const brought = new Set(
    callsOf(history, 'inbound').flatMap(({ request: { mediaId, externalId = '' } }) =>
      mediaId === undefined ? [] : [externalId],
    ),
  );
  const messages = new Map(history.messages.map((message) => [message.id, message]));
  return history.deliveries.flatMap(({ event, subject, file: told }) => {
    const message = messages.get(subject);
    if (!message || told === undefined) return [];
    const isBrought = message.direction === 'in' && brought.has(message.externalId ?? '');
    const file = message.file ?? (isBrought ? reportedMediaId(subject) : null);
    return told === file ? [] : [`${event} of ${subject} names the file ${told}, not ${file}`];
  });
});

export const media: Checker = {
  rules: {
    mediaIsAsAsked,
    arrivedMediaIsThere,
    eventsNameTheFile,
    libraryIsAsAnswered,
    nothingElseIsInTheLibrary,
  },
};
