/** The service with a panel, its contacts, and the audience that opens and leaves it. */
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { tokenOf } from '../organization.ts';
import { type Formation, formationOf } from '../scale-out/formations.ts';
import { startService } from '../service.ts';
import type { Context } from '../suite.ts';
import { type Contacts, write } from './delays.ts';
import { openPages, type Pages } from './pages.ts';
import { openStreams, type Streams } from './streams.ts';
import { panelUrlOf, signInMany } from './team.ts';

export const STREAMS = 200;
export const PAGES = 3;
/** As many as the panel grants a session. */
const STREAMS_PER_SESSION = 6;
const CONTACTS = 20;
/** Owners forget an organization that no panel has announced for 12 s. */
const FORGOTTEN_MS = 13_000;

export interface Stage {
  readonly formation: Formation;
  readonly contacts: Contacts;
  readonly pages: Pages;
  /** Opens the streams and shows the pages. */
  enter(): Promise<void>;
  /** Closes them; resolves when no owner publishes hints for them. Throws if one was deaf. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** The service by itself, with as many panel processes. */
export async function startWith(context: Context, panels: number): Promise<Formation> {
  const name = `panel=${panels}`;
  const service = await startService(context, { name, settings: { FORMATION: name } });
  return formationOf(context, name, service);
}

export async function openStage(context: Context): Promise<Stage> {
  const formation = await startWith(context, 1);
  const { service, channelIds, ref } = formation.fixture;
  const sessions = Math.ceil(STREAMS / STREAMS_PER_SESSION) + PAGES;
  const cookies = await signInMany(service, { org: ref, sessions });
  context.logProgress(`${sessions} people are signed in`);
  const contacts = contactsOf(service.run().sandboxUrl, channelIds[0] ?? '');
  for (const from of contacts.phones.keys()) await write(contacts, { from, text: 'Bom dia' });
  const panelUrl = panelUrlOf(service);
  const pages = await openPages({
    ...{ panelUrl, cookies: cookies.slice(0, PAGES) },
    conversationId: await firstConversation(formation, contacts.phones[0] ?? ''),
  });
  const port = Number(new URL(panelUrl).port);
  const wanted = { port, count: STREAMS, cookies: cookies.slice(PAGES) };
  let streams: Streams | null = null;
  return {
    ...{ formation, contacts, pages },
    enter: async () => {
      streams = await openStreams(context.children, wanted);
      await pages.show();
    },
    leave: async () => {
      const heard = await streams?.heard();
      await streams?.close();
      streams = null;
      await pages.leave();
      if (heard?.open !== STREAMS || heard.hinted !== STREAMS) {
        throw new Error(`streams were deaf: ${JSON.stringify(heard)}`);
      }
      await pause(FORGOTTEN_MS);
    },
    close: async () => {
      await pages.close();
      await formation.close();
    },
  };
}

function contactsOf(sandboxUrl: string, channelId: string): Contacts {
  const phones = Array.from({ length: CONTACTS }, (_, n) => `55119870${10_000 + n}`);
  return { sandboxUrl, channelId, phones };
}

const ConversationsSchema = v.object({
  data: v.array(v.object({ id: v.string(), contact: v.object({ phone: v.string() }) })),
});

async function firstConversation({ fixture }: Formation, phone: string): Promise<string> {
  const path = `/api/v1/conversations?limit=${2 * CONTACTS}`;
  const answer = await fetch(`${fixture.service.run().baseUrl}${path}`, {
    headers: { authorization: `Bearer ${tokenOf(fixture.ref)}` },
  });
  const { data } = v.parse(ConversationsSchema, await answer.json());
  const found = data.find(({ contact }) => contact.phone.replace(/\D/g, '') === phone);
  if (!found) throw new Error('the first contact has no conversation');
  return found.id;
}
