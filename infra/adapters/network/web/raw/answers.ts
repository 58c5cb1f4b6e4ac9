/**
 * A contact's choice of a button or of a row, as the engines report it in the raw message. Buttons
 * come from other tools of the same number: this driver sends none (D278).
 *
 * NOWEB and GOWS have the network's own message, with `Id` or `ID` at the end of its names. GOWS
 * has a member of a `oneof` one level deeper, in capitals. WEBJS has fields of its own. The sources
 * are `structures/webhooks.dto.ts` of WAHA, `Message.js` of whatsapp-web.js, and the protobufs of
 * Baileys and whatsmeow.
 */
import type { InteractiveAnswer } from '../../../../../shared/message-content.ts';
import { isRecord, type JsonRecord, parseRecord, recordAt, textAt } from '../../webhook-body.ts';
import { rawContentOf } from './raw-message.ts';

/** Names of a native flow that is a list. */
const ROW_FLOWS: ReadonlySet<string> = new Set(['menu_options', 'single_select']);

/** Null where the message is no choice, or shows no title or id. */
export function answerOf(message: JsonRecord): InteractiveAnswer | null {
  const raw = rawContentOf(message);
  return (
    buttonIn(raw, message) ??
    rowIn(recordAt(raw, 'listResponseMessage')) ??
    nativeIn(recordAt(raw, 'interactiveResponseMessage'), message) ??
    chosenIn(recordAt(message, '_data'), message)
  );
}

function buttonIn(raw: JsonRecord, message: JsonRecord): InteractiveAnswer | null {
  const plain = recordAt(raw, 'buttonsResponseMessage');
  const ofTemplate = recordAt(raw, 'templateButtonReplyMessage');
  const id =
    named(plain, 'selectedButtonId', 'selectedButtonID') ??
    named(ofTemplate, 'selectedId', 'selectedID');
  const title =
    textAt(plain, 'selectedDisplayText') ??
    textAt(recordAt(plain, 'Response'), 'SelectedDisplayText') ??
    textAt(ofTemplate, 'selectedDisplayText') ??
    textAt(message, 'body');
  return id === undefined || title === undefined ? null : { type: 'button', id, title };
}

function rowIn(response: JsonRecord): InteractiveAnswer | null {
  const reply = recordAt(response, 'singleSelectReply');
  const id = named(reply, 'selectedRowId', 'selectedRowID');
  const title = textAt(response, 'title');
  if (id === undefined || title === undefined) return null;
  return { type: 'row', id, title, ...describedIn(response) };
}

/** The button's or row's own id is in the flow's parameters, a JSON text. */
function nativeIn(response: JsonRecord, message: JsonRecord): InteractiveAnswer | null {
  const { nativeFlowResponseMessage: plain } = response;
  const flow = isRecord(plain)
    ? plain
    : recordAt(recordAt(response, 'InteractiveResponseMessage'), 'NativeFlowResponseMessage');
  const given = parseRecord(named(flow, 'paramsJson', 'paramsJSON') ?? '') ?? {};
  const id = textAt(given, 'id');
  const title =
    textAt(recordAt(response, 'body'), 'text') ?? textAt(given, 'title') ?? textAt(message, 'body');
  if (id === undefined || title === undefined) return null;
  if (!ROW_FLOWS.has(textAt(flow, 'name') ?? '')) return { type: 'button', id, title };
  return { type: 'row', id, title, ...describedIn(given) };
}

function chosenIn(data: JsonRecord, message: JsonRecord): InteractiveAnswer | null {
  const row = rowIn(recordAt(data, 'listResponse'));
  if (row !== null) return row;
  const id = named(data, 'selectedButtonId', 'selectedId');
  const title = textAt(message, 'body');
  return id === undefined || title === undefined ? null : { type: 'button', id, title };
}

function describedIn(choice: JsonRecord): { readonly description?: string } {
  const description = textAt(choice, 'description');
  return description === undefined ? {} : { description };
}

function named(record: JsonRecord, one: string, other: string): string | undefined {
  return textAt(record, one) ?? textAt(record, other);
}
