/** What a failed message said, as a draft of a new one. */
import type { Message } from '../../../../../shared/api/message.ts';
import type { Template } from '../../../../../shared/api/template.ts';
import { call, type Outcome, query } from '../../base/call.ts';
import { TEXT } from '../../sentences.ts';
import type { Page } from '../state/api.ts';
import { uploadAgain } from '../state/file-again.ts';
import type { Draft } from '../state/pending-storage.ts';
import { buttonsToFill } from '../state/template-values.ts';

type Content = Pick<Draft, 'text' | 'file'> & Partial<Draft>;

/** A template whose values the history does not tell: the member fills it anew. */
interface ToFill {
  readonly template: Template;
}

export type Again = { readonly content: Content } | ToFill;

type Structure = NonNullable<Draft['structure']>;

const TEMPLATES_MAX = 200;

/** Where it goes, and the key of what is sent as it was. */
interface Target {
  readonly channelId: string;
  readonly key: string;
}

export async function contentOf(message: Message, target: Target): Promise<Outcome<Again>> {
  const { media, template } = message;
  if (template !== undefined) return templateOf(message, template, target);
  const text = message.text ?? '';
  const same = { text, file: null, key: target.key };
  const structure = structureOf(message);
  if (structure !== null) return { ok: true, body: { content: { ...same, structure } } };
  if (media === null) return { ok: true, body: { content: same } };
  const uploaded = await uploadAgain(media);
  if (!uploaded.ok) return uploaded;
  const name = media.fileName ?? TEXT.thread.file;
  const file = { mediaId: uploaded.body.mediaId, name };
  return { ok: true, body: { content: { text, file } } };
}

function structureOf({ interactive, location, contacts }: Message): Structure | null {
  if (interactive !== undefined) return { interactive };
  if (location !== undefined) return { location };
  return contacts === undefined ? null : { contacts };
}

async function templateOf(
  { text }: Message,
  { name, language }: NonNullable<Message['template']>,
  { channelId, key }: Target,
): Promise<Outcome<Again>> {
  const entries = { channelId, status: 'APPROVED', query: name, limit: TEMPLATES_MAX };
  const found = await call<Page<Template>>('GET', `/api/v1/templates${query(entries)}`);
  if (!found.ok) return found;
  const known = found.body.data.find((each) => each.name === name && each.language === language);
  if (!known) {
    return { ok: false, refused: { status: 404, sentence: TEXT.acts.templateGone, issues: [] } };
  }
  if (takesValues(known)) return { ok: true, body: { template: known } };
  const given = { text: text ?? '', file: null, key, template: { name, language } };
  return { ok: true, body: { content: given } };
}

function takesValues(template: Template): boolean {
  const { header, body } = template.parameters;
  return header !== null || body.length > 0 || buttonsToFill(template).length > 0;
}
