/** Rows of conversations: the list with its filters, one of them, and what members do in it. */
import * as v from 'valibot';
import { CRM_SENTENCES } from '../../../shared/api/deal.ts';
import { requestObject } from '../../../shared/api/fields.ts';
import {
  AssignBody,
  ListPanelConversationsQuery,
  PauseBody,
} from '../../../shared/api/panel-conversation.ts';
import { invalid } from '../../../shared/failures.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import type { MemberAction } from '../../../shared/wire/member-action.ts';
import type { ListPanelConversations } from '../../../shared/wire/queries.ts';
import { type Reply, refusalReply } from '../../http/respond.ts';
import { type ApiRoute, type ApiRow, apiRoute, type Call } from '../../route.ts';

const TAG = 'Conversas';
const NOBODY = 'none';
const MINUTE_MS = 60_000;
const answers = { 200: { description: 'A resposta.', schema: v.looseObject({}) } };
const NoBody = requestObject({});

const listConversations = apiRoute({
  method: 'GET',
  path: '/panel/api/conversations',
  operationId: 'listPanelConversations',
  summary: 'Lista as conversas, da última mensagem à mais antiga.',
  tag: TAG,
  query: ListPanelConversationsQuery,
  answers,
  plan({ caller, query: { status, channelId, contactId, assignedTo, unread, query, ...page } }) {
    const payload: ListPanelConversations = {
      orgId: caller.orgId,
      ...page,
      ...(status === undefined ? {} : { status }),
      ...(channelId === undefined ? {} : { channelId }),
      ...(contactId === undefined ? {} : { contactId }),
      ...(assignedTo === undefined
        ? {}
        : { assignedTo: assignedTo === NOBODY ? null : assignedTo }),
      ...(unread === true ? { unread } : {}),
      ...(query === undefined ? {} : { query }),
    };
    return { to: 'query', resource: 'panel-conversations', payload };
  },
});

const getConversation = apiRoute({
  method: 'GET',
  path: '/panel/api/conversations/{id}',
  operationId: 'getPanelConversation',
  summary: 'Uma conversa, com o seu fluxo.',
  tag: TAG,
  answers,
  plan: ({ caller, params }) => shown(caller.orgId, params.id ?? ''),
});

function shown(orgId: string, conversationId: string) {
  const payload = { orgId, conversationId };
  return { to: 'query', resource: 'panel-conversation', payload } as const;
}

/** The action of a member without the parts that every one has. */
type Action<Each = MemberAction> = Each extends MemberAction ? Omit<Each, 'id' | 'orgId'> : never;

function asked<Named extends Action>(
  { caller, ids, params }: Pick<Call<unknown, unknown>, 'caller' | 'ids' | 'params'>,
  action: Named,
) {
  const { orgId } = caller;
  const id = ids.fresh('cmd');
  const address = { kind: 'conversation', key: params.id ?? '' } as const;
  return { to: 'actor', address, command: { ...action, id, orgId } } as const;
}

/** Answers the conversation after the change. */
async function changed(call: Call<unknown, unknown>, action: Action): Promise<Reply> {
  const answer = await call.ask(asked(call, action), { effectStays: true });
  if (answer.status >= 300) return answer;
  return call.ask(shown(call.caller.orgId, bodyOf(answer).conversationId));
}

type Row<Body> = Pick<ApiRow<null, Body>, 'operationId' | 'summary'> & {
  readonly body: NonNullable<ApiRow<null, Body>['body']>;
  readonly action: string;
  readonly run: (call: Call<null, Body>) => Promise<Reply>;
};

function actionRoute<Body>({ action, ...row }: Row<Body>): ApiRoute {
  const path = `/panel/api/conversations/{id}/${action}`;
  return apiRoute<null, Body>({ ...row, method: 'POST', path, tag: TAG, answers });
}

const assignConversation = actionRoute({
  action: 'assign',
  operationId: 'assignConversation',
  summary: 'Atribui a conversa a um membro, ou a ninguém.',
  body: AssignBody,
  async run(call) {
    const reply = await changed(call, { type: 'assign', member: call.body.memberId });
    // The body was read here: the conversation refuses a stranger alone.
    if (reply.status !== 422) return reply;
    return refusalReply(invalid({ path: 'memberId', message: CRM_SENTENCES.notMember }));
  },
});

const pauseAutomation = actionRoute({
  action: 'pause',
  operationId: 'pauseAutomation',
  summary: 'Pausa a automação na conversa.',
  body: PauseBody,
  run: (call) => changed(call, { type: 'pause', forMs: call.body.minutes * MINUTE_MS }),
});

const plainActions = [
  ['resolve', 'resolveConversation', 'Resolve a conversa.'],
  ['reopen', 'reopenConversation', 'Reabre uma conversa resolvida.'],
  ['resume', 'resumeAutomation', 'Retoma a automação na conversa.'],
  ['read', 'readConversation', 'Marca a conversa como lida.'],
] as const;

export const CONVERSATION_ROUTES: readonly ApiRoute[] = [
  listConversations,
  getConversation,
  assignConversation,
  pauseAutomation,
  ...plainActions.map(([type, operationId, summary]) =>
    actionRoute({
      ...{ action: type, operationId, summary, body: NoBody },
      run: (call) => changed(call, { type }),
    }),
  ),
];
