/**
 * Sights and acts of a contact at the network beside text, in the words of a talk (docs/flows.md).
 */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import type { Stack } from '../../../../support/stack.ts';

const titles = v.array(v.looseObject({ id: v.string(), title: v.string() }));
const SentSchema = v.object({
  data: v.array(
    v.looseObject({
      text: v.nullable(v.string()),
      externalId: v.string(),
      kind: v.string(),
      replyTo: v.optional(v.string()),
      template: v.optional(
        v.looseObject({
          header: v.optional(v.nullable(v.unknown())),
          footer: v.optional(v.nullable(v.string())),
          buttons: v.optional(
            v.array(
              v.looseObject({
                type: v.string(),
                text: v.string(),
                payload: v.optional(v.string()),
              }),
            ),
          ),
        }),
      ),
      interactive: v.optional(
        v.looseObject({
          buttons: v.optional(titles),
          button: v.optional(v.string()),
          sections: v.optional(v.array(v.looseObject({ rows: titles }))),
          displayText: v.optional(v.string()),
        }),
      ),
      reaction: v.optional(v.object({ messageId: v.string(), emoji: v.string() })),
      location: v.optional(
        v.object({
          latitude: v.number(),
          longitude: v.number(),
          name: v.optional(v.string()),
          address: v.optional(v.string()),
        }),
      ),
      contacts: v.optional(
        v.array(v.looseObject({ name: v.string(), phones: v.array(v.string()) })),
      ),
    }),
  ),
});
type Sent = v.InferOutput<typeof SentSchema>['data'][number];

/** A message in the words of a talk: `Certo? [Sim] [Não]`. */
function wordsOf(sent: Sent): string {
  const { text, reaction, location, contacts, replyTo } = sent;
  if (reaction) return `(${reaction.emoji})`;
  if (location) {
    const { name, address, latitude, longitude } = location;
    return `(place) ${[name, address, latitude, longitude].join(', ')}`;
  }
  if (contacts) {
    return contacts.map(({ name, phones }) => `(contact) ${name}: ${phones.join(', ')}`).join('; ');
  }
  const said = [text ?? '', ...buttonsOf(sent).map((button) => `[${button}]`)].join(' ');
  return replyTo === undefined ? said : `(reply) ${said}`;
}

function buttonsOf({ interactive, template }: Sent): readonly string[] {
  const rows = interactive?.sections?.flatMap((section) => section.rows.map(({ title }) => title));
  const { button, displayText, buttons = [] } = interactive ?? {};
  return [
    ...buttons.map(({ title }) => title),
    ...(rows === undefined ? [] : [`${button}: ${rows.join(', ')}`]),
    ...(displayText === undefined ? [] : [displayText]),
    ...(template?.buttons ?? []).map((each) => each.text),
  ];
}

function hasChoice({ interactive, template }: Sent, id: string): boolean {
  const rows = interactive?.sections?.flatMap((section) => section.rows) ?? [];
  const pressed = [...(interactive?.buttons ?? []), ...rows].some((each) => each.id === id);
  return pressed || (template?.buttons ?? []).some(({ payload }) => payload === id);
}

export interface TalkContact {
  /** Everything received so far, in order. */
  received(): Promise<readonly string[]>;
  /** Presses the button or chooses the row of the last message that has it. */
  press(id: string): Promise<void>;
  /** Reacts to the last message. */
  react(emoji: string): Promise<void>;
  sendPlace(latitude: number, longitude: number): Promise<void>;
}

export function talkContactOf(stack: Stack, channelId: string, phone: string): TalkContact {
  const { control } = stack.network;
  const sent = async (): Promise<readonly Sent[]> =>
    v.parse(SentSchema, await control(`GET /sent?to=${phone}`)).data;
  const act = async (action: object): Promise<void> => {
    await control('POST /inbound', { channelId, from: phone, ...action });
  };
  return {
    received: async () => (await sent()).map(wordsOf),
    press: async (id) => {
      const message = (await sent()).findLast((each) => hasChoice(each, id));
      assert.ok(message, `no message has "${id}"`);
      await act({ reply: { to: message.externalId, id } });
    },
    react: async (emoji) => {
      const message = (await sent()).findLast(({ reaction }) => reaction === undefined);
      await act({ reaction: { to: message?.externalId, emoji } });
    },
    sendPlace: (latitude, longitude) => act({ place: { latitude, longitude } }),
  };
}
