/**
 * Quick replies of an organization: texts that its attendants insert, documents of their own.
 *
 * 1. The organization's owner is their only writer, so that no race exceeds their bound.
 * 2. The id is the command's: a repeated creation is met.
 * 3. The audit entry precedes the change, as those of sessions do.
 * 4. A removed one keeps its id, in no organization, for as long as a try of its creation may
 *    arrive: a write of a former owner too meets it there (D493).
 */

import { failure, invalid, renderFailure } from '../../shared/failures.ts';
import {
  LASTING_COMMAND_RETENTION_MS,
  QUICK_REPLIES_MAX_PER_ORGANIZATION,
} from '../../shared/limits.ts';
import type { Answer, AnswerOf, Command } from '../../shared/ports/bus.ts';
import { compareNames } from '../../shared/text/name-order.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type {
  CreateQuickReply,
  QuickReply,
  QuickReplyCommand,
  RemoveQuickReply,
} from '../../shared/wire/quick-reply-commands.ts';
import type { Environment } from '../environment.ts';
import type { QuickReplyDocument } from '../model/organization.ts';
import { purge } from '../runtime/purge.ts';
import { assertCommitted } from '../runtime/turn.ts';
import { writeAudit } from './documents.ts';

const COLLECTION = 'quickReplies';
/** Of a removed one. */
const NO_ORGANIZATION = '';
const TOO_MANY = `A organização já tem ${QUICK_REPLIES_MAX_PER_ORGANIZATION} respostas rápidas.`;

export function isQuickReplyCommand(command: Command): command is QuickReplyCommand {
  return command.type.startsWith('quick-replies.');
}

export async function answerQuickReplies(
  environment: Environment,
  orgId: string,
  command: QuickReplyCommand & Pick<Command, 'by'>,
): Promise<Answer> {
  const known = await environment.store.find(
    COLLECTION,
    { orgId },
    {
      limit: QUICK_REPLIES_MAX_PER_ORGANIZATION,
    },
  );
  switch (command.type) {
    case 'quick-replies.list':
      return answerOf({ data: known.map(shown).toSorted(byTitle) });
    case 'quick-replies.create':
      return create({ environment, orgId, known }, command);
    case 'quick-replies.remove':
      return remove({ environment, orgId, known }, command);
    default:
      return command satisfies never;
  }
}

interface Changing {
  readonly environment: Environment;
  readonly orgId: string;
  readonly known: readonly QuickReplyDocument[];
}

async function create(
  changing: Changing,
  command: CreateQuickReply & Pick<Command, 'by'>,
): Promise<AnswerOf<{ data: QuickReply }>> {
  const { environment, orgId, known } = changing;
  const { id: _id, title, text } = command;
  const data = { id: _id, title, text };
  if (known.some((each) => each._id === _id)) return answerOf({ data }, 201);
  if (await environment.store.byId(COLLECTION, _id)) return answerOf({ data }, 201);
  if (known.length >= QUICK_REPLIES_MAX_PER_ORGANIZATION) {
    return renderFailure(invalid({ path: 'title', message: TOO_MANY }));
  }
  await audit(changing, command, { id: _id, title });
  const document = { _id, orgId, title, text };
  const [written] = await environment.store.commit([{ insert: COLLECTION, document }]);
  assertCommitted(written, 'a quick reply');
  return answerOf({ data }, 201);
}

async function remove(
  changing: Changing,
  command: RemoveQuickReply & Pick<Command, 'by'>,
): Promise<AnswerOf<{ data: QuickReply }>> {
  const { environment, orgId, known } = changing;
  const { store, clock } = environment;
  const { quickReplyId: _id } = command;
  const document = known.find((each) => each._id === _id);
  if (!document) return renderFailure(failure('quick_reply_not_found'));
  await audit(changing, command, shown(document));
  const until = clock.now() + LASTING_COMMAND_RETENTION_MS;
  const change = { $set: { orgId: NO_ORGANIZATION, title: '', text: '', until } };
  const [written] = await store.commit([{ update: COLLECTION, filter: { _id, orgId }, change }]);
  assertCommitted(written, 'the removal of a quick reply');
  return answerOf({ data: shown(document) });
}

async function audit(
  { environment, orgId }: Changing,
  { id: commandId, by }: Command,
  { id, title }: Pick<QuickReply, 'id' | 'title'>,
): Promise<void> {
  if (!by) return;
  const { ids, clock, store } = environment;
  const subject = { kind: 'quick-reply', id };
  const auditId = ids.derive('aud', commandId, subject.kind, id);
  await writeAudit(store, orgId, [
    { id: auditId, at: clock.now(), by, subject, details: { title } },
  ]);
}

/** Forgets removed ones that no try of their creation can meet any more. */
export async function purgeQuickReplies({
  store,
  clock,
}: Pick<Environment, 'store' | 'clock'>): Promise<void> {
  const filter = { orgId: NO_ORGANIZATION, until: { $lte: clock.now() } };
  await purge(store, { collection: COLLECTION, filter });
}

function shown({ _id: id, title, text }: QuickReplyDocument): QuickReply {
  return { id, title, text };
}

function byTitle(a: QuickReply, b: QuickReply): number {
  return compareNames(a.title, b.title) || (a.id < b.id ? -1 : 1);
}
