/** The contents of Meta's messages, in the form of its webhooks. */
import type { Inbound } from '../network/inbound.ts';
import { titleOf } from './schema/errors.ts';

type JsonFields = Readonly<Record<string, unknown>>;

/** The type of the message and the object of that type. */
export function contentOf(inbound: Inbound): JsonFields {
  const { text, edits, deletes, reaction, media, welcome } = inbound;
  if (welcome) return { type: 'request_welcome' };
  if (deletes !== undefined) {
    return { type: 'revoke', revoke: { original_message_id: deletes } };
  }
  if (edits !== undefined) {
    const message = { context: { id: 'M0' }, ...plainOf(inbound) };
    return { type: 'edit', edit: { original_message_id: edits, message } };
  }
  if (reaction !== undefined) {
    const { to: message_id, emoji } = reaction;
    // Without the emoji it was taken back. Source: Meta, "Reaction messages webhook reference".
    return { type: 'reaction', reaction: emoji === '' ? { message_id } : { message_id, emoji } };
  }
  const chosen = chosenOf(inbound) ?? sharedOf(inbound);
  if (chosen !== null) return chosen;
  return media === undefined && text === undefined ? unsupported() : plainOf(inbound);
}

function plainOf({ media, text }: Inbound): JsonFields {
  if (media === undefined) return { type: 'text', text: { body: text ?? '' } };
  if (media.errorCode !== undefined)
    return { type: media.kind, errors: [errorOf(media.errorCode)] };
  return {
    type: media.kind,
    [media.kind]: {
      ...(text === undefined ? {} : { caption: text }),
      ...(media.fileName === undefined ? {} : { filename: media.fileName }),
      mime_type: media.mimeType,
      ...(media.sha256 === undefined ? {} : { sha256: media.sha256 }),
      id: media.id,
      url: media.url,
      ...(media.kind === 'audio' ? { voice: media.voice ?? false } : {}),
      ...(media.kind === 'sticker' ? { animated: false } : {}),
    },
  };
}

/** As in a status. Source: Meta, Errors of incoming messages (131052). */
function errorOf(code: number): JsonFields {
  const title = titleOf(code);
  return { code, title, message: title, error_data: { details: title } };
}

function chosenOf({ button, choice, form, callPermission }: Inbound): JsonFields | null {
  if (callPermission !== undefined) return permissionOf(callPermission);
  if (button !== undefined) return { type: 'button', button };
  if (choice !== undefined) {
    const { row, ...reply } = choice;
    const isRow = row ?? choice.description !== undefined;
    const type = isRow ? 'list_reply' : 'button_reply';
    return { type: 'interactive', interactive: { type, [type]: reply } };
  }
  if (form === undefined) return null;
  const nfm_reply = { response_json: JSON.stringify(form), body: 'Sent', name: 'flow' };
  return { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply } };
}

/** Source: Meta, "User call permission requests" (2026). */
function permissionOf({ response, permanent }: NonNullable<Inbound['callPermission']>): JsonFields {
  const ends = permanent ? {} : { expiration_timestamp: Math.floor(Date.now() / 1000) + 604_800 };
  const answer = { response, is_permanent: permanent, response_source: 'user_action' };
  const call_permission_reply = response === 'accept' ? { ...answer, ...ends } : answer;
  return {
    type: 'interactive',
    interactive: { type: 'call_permission_reply', call_permission_reply },
  };
}

function sharedOf({ place, cards, order, system }: Inbound): JsonFields | null {
  if (place !== undefined) return { type: 'location', location: place };
  if (cards !== undefined) {
    const contacts = cards.map(({ name, phone }) => ({
      name: { first_name: name, formatted_name: name },
      phones: [{ phone: `+${phone}`, wa_id: phone, type: 'CELL' }],
    }));
    return { type: 'contacts', contacts };
  }
  if (order !== undefined) return { type: 'order', order };
  return system === undefined ? null : { type: 'system', system };
}

function unsupported(): JsonFields {
  const title = 'Message type unknown';
  const error_data = { details: 'Message type is currently not supported.' };
  return {
    type: 'unsupported',
    errors: [{ code: 131051, title, message: title, error_data }],
  };
}
