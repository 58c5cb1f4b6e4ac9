/** Rows of what happens now: the stream of live hints, and who is writing an answer. */
import { requestObject } from '../../../shared/api/fields.ts';
import { failure } from '../../../shared/failures.ts';
import { bodyOfSuccess } from '../../../shared/wire/answer.ts';
import { OPERATOR } from '../../../shared/wire/person-commands.ts';
import { jsonReply, refusalReply, UNBUFFERED } from '../../http/respond.ts';
import type { LiveStream } from '../live/live-stream.ts';
import { type Panel, type PersonKey, type SessionRoute, sessionRoute } from '../panel.ts';
import { askOrganization, askPerson } from './ask-person.ts';

const STREAM_RETRY_SECONDS = 5;

const listenLive = sessionRoute({
  method: 'GET',
  path: '/panel/api/events',
  operationId: 'listenLive',
  body: requestObject({}),
  async answer(panel, { requestId }, { key, caller }) {
    const sessionId = caller?.member?.sessionId ?? key.digest;
    if (key.orgId === '') return refusalReply(failure('organization_not_found'));
    const isOpen = () => isStillOpen(panel, { key, sessionId, requestId });
    const stream = panel.streams.open({
      subjects: key.operator ? [key.orgId, OPERATOR] : [key.orgId],
      ...{ sessionId, memberId: caller?.member?.id ?? null, isStillOpen: isOpen },
    });
    if (!stream) {
      return refusalReply({ kind: 'rate_limited', retryAfterSeconds: STREAM_RETRY_SECONDS });
    }
    if (!(await isOpenAfter(stream, isOpen))) return refusalReply(failure('signed_out'));
    return {
      ...{ status: 200, body: '', contentType: 'text/event-stream; charset=utf-8' },
      ...{ headers: UNBUFFERED, stream },
    };
  },
});

/** A session that ended before its owner knew of the stream; its end was told to none. */
async function isOpenAfter(stream: LiveStream, isOpen: () => Promise<boolean>): Promise<boolean> {
  let open = false;
  try {
    open = await isOpen();
  } finally {
    if (!open) stream.end();
  }
  return open;
}

interface Checked {
  readonly key: PersonKey;
  readonly sessionId: string;
  readonly requestId: string;
}

async function isStillOpen(panel: Panel, { key, sessionId, requestId }: Checked): Promise<boolean> {
  const id = panel.gateway.freshId('cmd');
  if (key.operator) {
    const { sessionDigest: digest } = key.operator;
    const admit = { id, type: 'admit-operator', digest } as const;
    const answer = await askPerson(panel, { key: OPERATOR, requestId }, admit);
    if (answer.status !== 200 && answer.status !== 401) throw new Error(`${answer.status}`);
    return answer.status === 200;
  }
  const command = { id, type: 'describe-session', sessionId } as const;
  const answer = await askOrganization(panel, { key: key.orgId, requestId }, command);
  if (answer.status === 404) return false;
  const { data } = bodyOfSuccess(answer, 'a session was not described');
  return Date.parse(data.expiresAt) > panel.gateway.clock.now();
}

/** A member that writes an answer; it is stored nowhere, and pages forget it after seconds. */
const tellTyping = sessionRoute({
  method: 'POST',
  path: '/panel/api/conversations/{conversationId}/typing',
  operationId: 'tellTyping',
  body: requestObject({}),
  async answer(panel, { params }, { key, caller }) {
    const { conversationId: id = '' } = params;
    const { id: memberId = null, name = '' } = caller?.member ?? {};
    const seq = panel.gateway.clock.now();
    if (memberId !== null) {
      const by = { id: memberId, name };
      panel.hints.changed(key.orgId, 'presence', { id, seq, by });
    }
    return jsonReply(202, { data: {} });
  },
});

export const LIVE_ROUTES: readonly SessionRoute[] = [listenLive, tellTyping];
