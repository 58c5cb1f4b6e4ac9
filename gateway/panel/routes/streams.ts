/** Row of one event stream: whether it is connected, and what waits for it. */
import { failure } from '../../../shared/failures.ts';
import { isStreamId } from '../../../shared/wire/stream-commands.ts';
import { type ApiRoute, apiRoute } from '../../route.ts';
import { ANY_ANSWER as answers } from './any-answer.ts';

const getStream = apiRoute({
  method: 'GET',
  path: '/panel/api/streams/{id}',
  operationId: 'getStream',
  summary: 'Mostra se um stream está conectado, e quantos eventos esperam por ele.',
  tag: 'Integrações',
  answers,
  plan({ caller: { orgId }, ids, params: { id: key = '' } }) {
    if (!isStreamId(key)) return { to: 'caller', refusal: failure('stream_not_found') };
    const command = { id: ids.fresh('cmd'), type: 'describe-stream', orgId } as const;
    return { to: 'actor', address: { kind: 'subscription', key }, command };
  },
});

export const STREAM_ROUTES: readonly ApiRoute[] = [getStream];
