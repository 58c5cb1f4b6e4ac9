/** Rows of the operator's screen; they are of the installation, not of an organization. */
import { requestObject } from '../../../shared/api/fields.ts';
import { failure } from '../../../shared/failures.ts';
import { ASK_DEADLINE_MS, RATES_SAMPLE_MS } from '../../../shared/limits.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { answerReply, jsonReply, type Reply, refusalReply } from '../../http/respond.ts';
import { type Panel, type SessionRoute, sessionRoute } from '../panel.ts';

const NO_BODY = requestObject({});

const readOperation = sessionRoute({
  method: 'GET',
  path: '/panel/api/operation',
  operationId: 'readOperation',
  body: NO_BODY,
  async answer(panel, { requestId }) {
    const { gateway, processes } = panel;
    const running = processes();
    if (!running) return refusalReply(failure('unavailable'));
    const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
    const [stored, actors, doctor, metrics] = await Promise.all([
      gateway.bus.query('operation', {}, { deadline, requestId }),
      running.actors(),
      running.doctor(),
      running.metrics(),
    ]);
    if (stored.status !== 200) return answerReply(stored);
    const waiting: object = JSON.parse(stored.body);
    const others = metrics
      .filter(({ role }) => role !== 'actors')
      .map(({ processId: id, role }) => ({ id, role }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return jsonReply(200, { data: { processes: actors, others, ...waiting, doctor } });
  },
});

const readRates = sessionRoute({
  method: 'GET',
  path: '/panel/api/operation/rates',
  operationId: 'readRates',
  body: NO_BODY,
  answer: async (panel): Promise<Reply> => ratesReply(panel),
});

function ratesReply({ rates }: Panel): Reply {
  const { since, points } = rates.points();
  return jsonReply(200, {
    data: {
      since: since === null ? null : timestamp(since),
      everySeconds: RATES_SAMPLE_MS / 1_000,
      points: points.map(({ at, ...point }) => ({ at: timestamp(at), ...point })),
    },
  });
}

export const OPERATION_ROUTES: readonly SessionRoute[] = [readOperation, readRates];
