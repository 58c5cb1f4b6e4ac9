/**
 * A contact's choice of a button or of a row, as the engines report it in the raw message. Buttons
 * come from other tools of the same number: this driver sends none (D278).
 *
 * NOWEB and GOWS have the network's own message, with `Id` or `ID` at the end of its names. WEBJS
 * has fields of its own. The sources are `structures/webhooks.dto.ts` of WAHA, and `Message.js` of
 * whatsapp-web.js.
 */
import type { InteractiveAnswer } from '../../../../shared/message-content.ts';
import { type JsonRecord, recordAt, textAt } from '../webhook-body.ts';

/** Null where the message is no choice, or shows no title or id. */
export function answerOf(message: JsonRecord): InteractiveAnswer | null {
  const data = recordAt(message, '_data');
  const raw = { ...recordAt(data, 'message'), ...recordAt(data, 'Message') };
  return buttonIn(raw) ?? rowIn(recordAt(raw, 'listResponseMessage')) ?? chosenIn(data, message);
}

function buttonIn(raw: JsonRecord): InteractiveAnswer | null {
  const plain = recordAt(raw, 'buttonsResponseMessage');
  const ofTemplate = recordAt(raw, 'templateButtonReplyMessage');
  const id =
    named(plain, 'selectedButtonId', 'selectedButtonID') ??
    named(ofTemplate, 'selectedId', 'selectedID');
  const title = textAt(plain, 'selectedDisplayText') ?? textAt(ofTemplate, 'selectedDisplayText');
  return id === undefined || title === undefined ? null : { type: 'button', id, title };
}

function rowIn(response: JsonRecord): InteractiveAnswer | null {
  const reply = recordAt(response, 'singleSelectReply');
  const id = named(reply, 'selectedRowId', 'selectedRowID');
  const title = textAt(response, 'title');
  if (id === undefined || title === undefined) return null;
  const description = textAt(response, 'description');
  return { type: 'row', id, title, ...(description === undefined ? {} : { description }) };
}

function chosenIn(data: JsonRecord, message: JsonRecord): InteractiveAnswer | null {
  const row = rowIn(recordAt(data, 'listResponse'));
  if (row !== null) return row;
  const id = textAt(data, 'selectedButtonId');
  const title = textAt(message, 'body');
  return id === undefined || title === undefined ? null : { type: 'button', id, title };
}

function named(record: JsonRecord, one: string, other: string): string | undefined {
  return textAt(record, one) ?? textAt(record, other);
}
