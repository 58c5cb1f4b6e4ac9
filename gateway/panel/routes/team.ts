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
import { MEMBER_ROLES } from '../../../shared/vocabulary.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import { jsonReply } from '../../respond.ts';
import { type ApiRoute, apiRoute, type Plan, type Step, sequence } from '../../route.ts';
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
  operationId: 'listMembers',
  summary: 'Lista os membros.',
  tag: TAG,
  answers,
  plan({ caller, ids }) {
    const command = { id: ids.fresh('cmd'), type: 'entries.list', list: 'members' } as const;
    return { to: 'actor', address: organization(caller.orgId), command };
  },
});

const ColleaguesSchema = v.object({
  data: v.array(v.object({ id: v.string(), name: v.string(), disabled: v.boolean() })),
});

/** For every role: a disabled member keeps what is theirs, under their name. */
const listTeam = apiRoute({
  method: 'GET',
  path: '/panel/api/team',
  operationId: 'listTeam',
  summary: 'Lista os nomes dos membros.',
  tag: TAG,
  answers,
  plan({ caller, ids }) {
    const command = { id: ids.fresh('cmd'), type: 'entries.list', list: 'members' } as const;
    const first = { to: 'actor', address: organization(caller.orgId), command } as const;
    return sequence(first, (answer) => {
      if (answer.status !== 200) return answer;
      const { data } = v.parse(ColleaguesSchema, bodyOf(answer));
      // The schema keeps what every role may know: neither e-mails nor roles.
      return jsonReply(200, { data });
    });
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
  plan({ caller, ids, body }) {
    const invited = { id: ids.fresh('mbr'), type: 'members.invite', ...body } as const;
    const first = { to: 'actor', address: organization(caller.orgId), command: invited } as const;
    return sequence(first, (answer): Step => {
      if (answer.status >= 300) return answer;
      const { data: member } = v.parse(InvitedSchema, bodyOf(answer));
      const inviter = caller.member?.name ?? '';
      const named = { orgId: caller.orgId, memberId: member.id, inviter, seed: freshSeed(ids) };
      const send = { to: 'query', resource: 'send-invitation', payload: named } as const;
      return sequence(send, (sent) =>
        sent.status >= 300
          ? sent
          : jsonReply(answer.status, { data: { ...member, invitation: bodyOf(sent) } }),
      );
    });
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
  plan({ caller, ids, params, body }) {
    const { role: wanted, disabled } = body;
    const address = organization(caller.orgId);
    const named = { member: params.id ?? '' };
    const steps: Plan[] = [];
    if (wanted !== undefined) {
      const command = {
        id: ids.fresh('cmd'),
        type: 'members.role',
        ...named,
        role: wanted,
      } as const;
      steps.push({ to: 'actor', address, command });
    }
    if (disabled !== undefined) {
      const command = {
        id: ids.fresh('cmd'),
        type: 'members.disable',
        ...named,
        disabled,
      } as const;
      steps.push({ to: 'actor', address, command });
    }
    const [first, second] = steps;
    if (!first) {
      const command = { id: ids.fresh('cmd'), type: 'entries.list', list: 'members' } as const;
      return { to: 'actor', address, command };
    }
    if (!second) return first;
    const next = sequence(first, (answer): Step => (answer.status >= 300 ? answer : second));
    return { ...next, appliesPartially: true };
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
  listTeam,
  inviteMember,
  changeMember,
  listSessions,
  endSession,
  listAudit,
];
