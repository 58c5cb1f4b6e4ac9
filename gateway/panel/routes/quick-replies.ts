/** Rows of quick replies: texts that attendants insert into their answers. */
import { nameBetween, requestObject, textBetween } from '../../../shared/api/fields.ts';
import { MESSAGE_TEXT_MAX_CHARS, QUICK_REPLY_TITLE_MAX_CHARS } from '../../../shared/limits.ts';
import { type ApiRoute, apiRoute } from '../../route.ts';
import { ANY_ANSWER as answers } from './any-answer.ts';

const TAG = 'Respostas rápidas';

const listQuickReplies = apiRoute({
  method: 'GET',
  path: '/panel/api/quick-replies',
  operationId: 'listQuickReplies',
  summary: 'Lista as respostas rápidas, pelo título.',
  tag: TAG,
  answers,
  plan({ caller, ids }) {
    const command = { id: ids.fresh('cmd'), type: 'quick-replies.list' } as const;
    return { to: 'actor', address: { kind: 'organization', key: caller.orgId }, command };
  },
});

const createQuickReply = apiRoute({
  method: 'POST',
  path: '/panel/api/quick-replies',
  operationId: 'createQuickReply',
  summary: 'Guarda uma resposta rápida.',
  tag: TAG,
  body: requestObject({
    title: nameBetween(1, QUICK_REPLY_TITLE_MAX_CHARS),
    text: textBetween(1, MESSAGE_TEXT_MAX_CHARS),
  }),
  bodyExample: { title: 'Saudação', text: 'Olá! Como posso ajudar?' },
  answers,
  plan({ caller, ids, body }) {
    const { title, text } = body;
    const command = { id: ids.fresh('qrp'), type: 'quick-replies.create', title, text } as const;
    return { to: 'actor', address: { kind: 'organization', key: caller.orgId }, command };
  },
});

const removeQuickReply = apiRoute({
  method: 'POST',
  path: '/panel/api/quick-replies/{id}/remove',
  operationId: 'removeQuickReply',
  summary: 'Apaga uma resposta rápida.',
  tag: TAG,
  answers,
  plan({ caller, ids, params }) {
    const { id: quickReplyId = '' } = params;
    const command = { id: ids.fresh('cmd'), type: 'quick-replies.remove', quickReplyId } as const;
    return { to: 'actor', address: { kind: 'organization', key: caller.orgId }, command };
  },
});

export const QUICK_REPLY_ROUTES: readonly ApiRoute[] = [
  listQuickReplies,
  createQuickReply,
  removeQuickReply,
];
