/** Rows of the team: members, their sessions, and the audit log. */
import * as v from 'valibot';
import {
  booleanField,
  choice,
  emailText,
  nameBetween,
  pageEntries,
  requestObject,
} from '../../../shared/api/fields.ts';
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { invalid } from '../../../shared/failures.ts';
import { AUDIT_SKIPPED_MAX, CONTACT_NAME_MAX_CHARS } from '../../../shared/limits.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import { MEMBER_ROLES } from '../../../shared/vocabulary.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import { jsonReply, type Reply } from '../../http/respond.ts';
import { type ApiRoute, apiRoute } from '../../route.ts';
import { freshSeed } from './operator-commands.ts';

const TAG = 'Equipe';
const AnyAnswer = v.looseObject({});
const answers = { 200: { description: 'A resposta.', schema: AnyAnswer } };
const role = choice(MEMBER_ROLES);

const InviteBody = requestObject({
  name: nameBetween(1, CONTACT_NAME_MAX_CHARS),
  email: emailText,
  role,
});

const ChangeBody = requestObject({
  role: v.optional(role),
  disabled: v.optional(booleanField),
});

function organization(orgId: string) {
  return { kind: 'organization', key: orgId } as const;
}

const listMembers = apiRoute({
  method: 'GET',
  path: '/panel/api/members',
  operationId: 'listPanelMembers',
  summary: 'Lista os membros, com e-mail.',
  tag: TAG,
  answers,
  plan({ caller, ids }) {
    const command = { id: ids.fresh('cmd'), type: 'entries.list', list: 'members' } as const;
    return { to: 'actor', address: organization(caller.orgId), command };
  },
});

/** A link is mailed, and another one is the admin's to copy: it is in this answer alone. */
const inviteMember = apiRoute({
  method: 'POST',
  path: '/panel/api/members',
  operationId: 'inviteMember',
  summary: 'Convida um membro por e-mail.',
  tag: TAG,
  body: InviteBody,
  answers,
  answersSecret: true,
  async run({ caller, ids, body, ask }) {
    const command = { id: ids.fresh('mbr'), type: 'members.invite', ...body } as const;
    const answer = await ask({ to: 'actor', address: organization(caller.orgId), command });
    if (answer.status >= 300) return answer;
    const { data: member } = v.parse(InvitedSchema, bodyOf(answer));
    const inviter = caller.member?.name ?? '';
    const payload = { orgId: caller.orgId, memberId: member.id, inviter, seed: freshSeed(ids) };
    const sent = await ask({ to: 'query', resource: 'send-invitation', payload });
    if (sent.status >= 300) return sent;
    return jsonReply(answer.status, { data: { ...member, invitation: bodyOf(sent) } });
  },
});

const InvitedSchema = v.object({ data: v.looseObject({ id: v.string() }) });

const changeMember = apiRoute({
  method: 'POST',
  path: '/panel/api/members/{id}',
  operationId: 'changeMember',
  summary: 'Muda o papel de um membro, ou o seu acesso.',
  tag: TAG,
  body: ChangeBody,
  answers,
  async run({ caller, ids, params, body, ask }) {
    const { role: wanted, disabled } = body;
    const address = organization(caller.orgId);
    const member = params.id ?? '';
    const changes: CommandOf<'organization'>[] = [];
    if (wanted !== undefined) {
      changes.push({ id: ids.fresh('cmd'), type: 'members.role', member, role: wanted });
    }
    if (disabled !== undefined) {
      changes.push({ id: ids.fresh('cmd'), type: 'members.disable', member, disabled });
    }
    let answer: Reply | null = null;
    for (const command of changes) {
      answer = await ask({ to: 'actor', address, command }, { effectStays: true });
      if (answer.status >= 300) return answer;
    }
    if (answer) return answer;
    const list = { id: ids.fresh('cmd'), type: 'entries.list', list: 'members' } as const;
    return ask({ to: 'actor', address, command: list });
  },
});

const listSessions = apiRoute({
  method: 'GET',
  path: '/panel/api/sessions',
  operationId: 'listSessions',
  summary: 'Lista as sessões abertas.',
  tag: TAG,
  answers,
  plan({ caller, ids }) {
    const command = { id: ids.fresh('cmd'), type: 'list-sessions' } as const;
    return { to: 'actor', address: organization(caller.orgId), command };
  },
});

const endSession = apiRoute({
  method: 'POST',
  path: '/panel/api/sessions/{id}/end',
  operationId: 'endSession',
  summary: 'Encerra uma sessão.',
  tag: TAG,
  answers,
  plan({ caller, ids, params }) {
    const sessionId = params.id ?? '';
    const command = { id: ids.fresh('cmd'), type: 'end-session', sessionId } as const;
    return { to: 'actor', address: organization(caller.orgId), command };
  },
});

const listAudit = apiRoute({
  method: 'GET',
  path: '/panel/api/audit',
  operationId: 'listAudit',
  summary: 'Lista o registro de auditoria, do mais novo ao mais antigo.',
  tag: TAG,
  query: requestObject(pageEntries),
  answers,
  plan({ caller: { orgId }, query }) {
    if ((query.page - 1) * query.limit > AUDIT_SKIPPED_MAX) {
      return { to: 'caller', refusal: invalid({ path: 'page', message: SENTENCES.tooFarBack }) };
    }
    return { to: 'query', resource: 'audit-page', payload: { orgId, ...query } };
  },
});

export const TEAM_ROUTES: readonly ApiRoute[] = [
  listMembers,
  inviteMember,
  changeMember,
  listSessions,
  endSession,
  listAudit,
];
